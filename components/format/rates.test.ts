import { expect, test } from 'vitest';
import { rateText } from './rates';

test.each([
  [0, '0'],
  [0.004, '< 0.01'],
  [0.0167, '0.02'],
  [0.42, '0.4'],
  [9.94, '9.9'],
  [842.4, '842'],
  [12_400, '12.4 k'],
])('%d a second reads %s', (perSecond, words) => {
  expect(rateText(perSecond).replaceAll('\u202f', ' ')).toBe(words);
});
