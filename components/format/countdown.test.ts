import { expect, test } from 'vitest';
import { countdownText, shareLeft } from './countdown';

test.each([
  [26_900, '00:26'],
  [0, '00:00'],
  [599_000, '09:59'],
  [3_850_000, '1:04:10'],
  [93_850_000, '26:04:10'],
  [-38_500, '−00:38'],
  [-247_000, '−04:07'],
])('%d ms left reads %s', (leftMs, text) => {
  expect(countdownText(leftMs)).toBe(text);
});

test('the share left stays between empty and full', () => {
  expect(shareLeft(15_000, 30_000)).toBe(0.5);
  expect(shareLeft(-1, 30_000)).toBe(0);
  expect(shareLeft(90_000, 30_000)).toBe(1);
  expect(shareLeft(10, 0)).toBe(0);
});
