import { expect, it } from 'vitest';
import { isCountTyped } from './typed-count';

it('a number is typed with its digits in groups, as the hint shows them, or without', () => {
  for (const typed of ['1,200', '1200', ' 1 200 ', '1.200'])
    expect(isCountTyped(typed, 1200)).toBe(true);
  for (const typed of ['', '120', '1200x', '-1200']) expect(isCountTyped(typed, 1200)).toBe(false);
  expect(isCountTyped('0', 0)).toBe(false);
});
