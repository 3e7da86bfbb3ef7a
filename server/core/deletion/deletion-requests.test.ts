import { expect, test } from 'vitest';
import { untriedNames } from './deletion-requests';

test('no name is attempted or reported twice', () => {
  const chosen = { namespace: 'jobs', names: ['a', 'b', 'c'] };
  expect(untriedNames(chosen, [{ name: 'c' }, { name: 'a' }])).toEqual({ ...chosen, names: ['b'] });
  expect(untriedNames(chosen, [{ name: 'a' }, { name: 'b' }, { name: 'c' }])).toBe(null);
});

test('a prefix is sent again unchanged', () => {
  const chosen: { prefix: string; names?: string[] } = { prefix: 'a' };
  expect(untriedNames(chosen, [{ name: 'a1' }])).toBe(chosen);
});
