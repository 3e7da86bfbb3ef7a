import { expect, test } from 'vitest';
import { timeTicks } from './time-ticks';

const to = new Date(2026, 10, 20, 14, 33).getTime();
const HOUR = 3_600_000;

test.each([
  ['1h', 1, 6],
  ['24h', 24, 6],
  ['7d', 168, 7],
  ['30d', 720, 6],
] as const)('the axis of %s has round instants of the reader’s clock', (range, hours, count) => {
  const from = to - hours * HOUR;
  const ticks = timeTicks(range, from, to);
  expect(ticks).toHaveLength(count);
  for (const at of ticks) {
    expect(at).toBeGreaterThanOrEqual(from);
    expect(at).toBeLessThanOrEqual(to);
    const time = new Date(at);
    expect(time.getMinutes() % 10).toBe(0);
    if (hours > 1) expect(time.getMinutes()).toBe(0);
    if (hours > 24) expect(time.getHours()).toBe(0);
  }
});
