import { expect, test } from 'vitest';
import { baselineText, factorText } from './baseline';

const plain = (text: string) => text.replaceAll(/[\u202f\u00a0]/g, ' ');

test.each([
  [900, '900 ms'],
  [2_600, '2.6 s'],
  [41_000, '41 s'],
  [200_000, '3 m 20 s'],
  [599_000, '9 m 59 s'],
  [35 * 60_000 + 20_000, '35 m'],
  [3.4 * 3_600_000, '3.4 h'],
  [60 * 3_600_000, '2.5 d'],
])('a yardstick of %i ms reads %s', (ms, words) => {
  expect(plain(baselineText(ms))).toBe(words);
});

test.each([
  [400, 1_000, '0.4 ×'],
  [1_864_000, 200_000, '9.3 ×'],
  [31_900, 1_000, '31 ×'],
  [5_000_000, 0, '5,000,000 ×'],
])('%i ms against %i ms is %s', (ms, yardstickMs, words) => {
  expect(plain(factorText(ms, yardstickMs))).toBe(words);
});
