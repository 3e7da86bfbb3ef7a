import { expect, test } from 'vitest';
import { durationInput, readDuration } from './duration-input';

test.each([
  ['24h', 86_400_000],
  ['500ms', 500],
  ['1.5 s', 1_500],
  ['5m', 300_000],
  ['5 min', 300_000],
  ['2d', 172_800_000],
  ['90', 90_000],
  ['0', 0],
])('%s is read as %i ms', (text, ms) => {
  expect(readDuration(text)).toBe(ms);
});

test.each(['', 'soon', '5 weeks', '-1s', '1h 5m', '1e3'])('“%s” is no duration', (text) => {
  expect(readDuration(text)).toBeNull();
});

test.each([0, 100, 1_500, 30_000, 300_000, 86_400_000, 90_061_000])(
  '%i ms are read as they were written',
  (ms) => {
    expect(readDuration(durationInput(ms))).toBe(ms);
  },
);
