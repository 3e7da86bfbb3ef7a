import { expect, test } from 'vitest';
import { countText, exactCount, plural } from './counts';

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
