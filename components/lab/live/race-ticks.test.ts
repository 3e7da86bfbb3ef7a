import { expect, test } from 'vitest';
import { raceTickLabel, raceTicks } from './race-ticks';

const labels = (endMs: number) =>
  raceTicks(endMs).map((ms) => raceTickLabel(ms).replace('\u00a0', ' '));

test('the time axis of a race names the instants of its marks exactly, of a short race too', () => {
  expect(labels(509)).toEqual(['0 s', '0.2 s', '0.4 s']);
  expect(labels(41)).toEqual(['0 s', '0.01 s', '0.02 s', '0.03 s', '0.04 s']);
  expect(labels(4_000)).toEqual(['0 s', '1 s', '2 s', '3 s', '4 s']);
  expect(labels(6_000)).toEqual(['0 s', '2 s', '4 s', '6 s']);
  expect(labels(120_000)).toEqual(['0 s', '50 s', '100 s']);
  expect(labels(0)).toEqual(['0 s']);
  for (let endMs = 1; endMs < 130_000; endMs += 7) {
    expect(new Set(labels(endMs)).size).toBe(raceTicks(endMs).length);
  }
});
