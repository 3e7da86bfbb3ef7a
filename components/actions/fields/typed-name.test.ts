import { expect, it } from 'vitest';
import { isNameTyped } from './typed-name';

it('a name is typed exactly, or on a touch screen its end', () => {
  expect(isNameTyped('job:night', 'job:night', null)).toBe(true);
  expect(isNameTyped('job:night', 'Job:night', null)).toBe(false);
  expect(isNameTyped('job:night', 'night', null)).toBe(false);
  expect(isNameTyped('job:night', 'night', 'night')).toBe(true);
});

it('a name with line breaks, of which a text field has none, is typed without them', () => {
  expect(isNameTyped('a\r\nb\nc', 'abc', null)).toBe(true);
  expect(isNameTyped('job:ni\nght', 'night', 'ni\nght')).toBe(true);
});
