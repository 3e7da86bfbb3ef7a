import { expect, test } from 'vitest';
import { exactCount, plural } from '@/server/core/format/numbers';
import { countText, keepUnits, rateText, revText, shortToken } from './numbers';

test.each([
  [0, '0'],
  [1_284, '1,284'],
  [9_999, '9,999'],
  [12_449, '12.4\u202fk'],
  [1_250_000, '1,250\u202fk'],
  [12_449_000, '12.4\u202fM'],
])('%d reads %s', (count, text) => {
  expect(countText(count)).toBe(text);
});

test('words follow their number', () => {
  expect(plural(1, 'waiter')).toBe('1\u00a0waiter');
  expect(plural(1_200, 'waiter')).toBe('1,200\u00a0waiters');
  expect(plural(2, 'entry', 'entries')).toBe('2\u00a0entries');
});

test('exact counts show every digit', () => {
  expect(exactCount(1_234_567)).toBe('1,234,567');
});

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

test('a token is shown by its last four digits', () => {
  expect(shortToken(2_258_488_994_778)).toBe('…4778');
  expect(shortToken(7)).toBe('…0007');
});

test('a number in a sentence is never parted from its unit', () => {
  expect(keepUnits('b 2 expired 5 s ago, after 1 m 30 s. 3 waiting.')).toBe(
    'b 2 expired 5\u00a0s ago, after 1\u00a0m\u00a030\u00a0s. 3\u00a0waiting.',
  );
});

test('a small version is whole', () => {
  expect(revText(88_412)).toBe('88,412');
  expect(revText(59_465_613_490)).toBe('…3490');
});
