import { expect, test } from 'vitest';
import { HOUR_MS } from '@/server/core/time-units';
import { clockLabel, timelineTicks } from './timeline-ticks';

// Days on which many time zones change their clocks; the process's zone decides which matter.
const CHANGES = [new Date(2026, 2, 29, 12), new Date(2026, 9, 25, 12), new Date(2026, 10, 1, 12)];

test('labels of days are at midnight of the reader, one a day, also where a clock is set', () => {
  for (const change of CHANGES) {
    const from = change.getTime() - 48 * HOUR_MS;
    const ticks = timelineTicks(from, from + 5 * 24 * HOUR_MS, 5);
    expect(new Set(ticks.map(({ label }) => label)).size).toBe(5);
    for (const { at } of ticks) expect(new Date(at).getHours()).toBe(0);
  }
});

test("labels four hours apart are round in the reader's zone, even when clocks change", () => {
  for (const change of CHANGES) {
    const from = change.getTime() - 18 * HOUR_MS;
    const ticks = timelineTicks(from, from + 24 * HOUR_MS, 7);
    expect(ticks).toHaveLength(6);
    for (const { at } of ticks) expect(new Date(at).getHours() % 4).toBe(0);
  }
});

test('labels of short spans begin within the span, a step apart', () => {
  const from = new Date(2026, 10, 20, 14, 3, 20).getTime();
  const ticks = timelineTicks(from, from + 5 * 60_000, 6);
  expect(ticks.map(({ label }) => label)).toEqual(['14:04', '14:05', '14:06', '14:07', '14:08']);
});

test('if a span crosses midnight, its label there names the day', () => {
  const from = new Date(2026, 10, 20, 23, 48).getTime();
  const ticks = timelineTicks(from, from + 0.5 * HOUR_MS, 6);
  expect(ticks.map(({ label }) => label)).toEqual([
    '23:50',
    '23:55',
    '21 Nov',
    '00:05',
    '00:10',
    '00:15',
  ]);
});

test('an instant names its day where that is not the day of now', () => {
  const at = new Date(2026, 10, 20, 23, 48, 7).getTime();
  expect(clockLabel(at, at + 60_000)).toBe('23:48:07');
  expect(clockLabel(at, at + HOUR_MS)).toBe('20 Nov\u00a023:48:07');
  const instant = Date.UTC(2026, 10, 20, 23, 48, 7);
  expect(clockLabel(instant, instant + HOUR_MS, 'Europe/Berlin')).toBe('00:48:07');
});
