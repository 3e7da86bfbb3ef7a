import { expect, test } from 'vitest';
import { firstLine } from './first-line';

test('an error is described by its first line, or by its code if it says nothing', () => {
  expect(firstLine(new Error('Not now.\nLater.'))).toBe('Not now.');
  // As Node reports a name with two addresses at which nothing listens.
  const refused = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
  expect(firstLine(refused)).toBe('ECONNREFUSED');
  expect(firstLine('thrown\nas text')).toBe('thrown');
});
