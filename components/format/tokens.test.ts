import { expect, test } from 'vitest';
import { revText, shortToken } from './tokens';

test('a token is told by its last four digits', () => {
  expect(shortToken(2_258_488_994_778)).toBe('…4778');
  expect(shortToken(7)).toBe('…0007');
});

test('a small version is whole', () => {
  expect(revText(88_412)).toBe('88,412');
  expect(revText(59_465_613_490)).toBe('…3490');
});
