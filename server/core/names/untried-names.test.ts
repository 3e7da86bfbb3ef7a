import { expect, test } from 'vitest';
import { untriedOf } from './untried-names';

test('no name is tried, or reported, twice', () => {
  const chosen = { namespace: 'jobs', names: ['a', 'b', 'c'] };
  expect(untriedOf(chosen, [{ name: 'c' }, { name: 'a' }])).toEqual({ ...chosen, names: ['b'] });
  expect(untriedOf(chosen, [{ name: 'a' }, { name: 'b' }, { name: 'c' }])).toBe(null);
});

test('a prefix is asked for again as it is', () => {
  const chosen: { prefix: string; names?: string[] } = { prefix: 'a' };
  expect(untriedOf(chosen, [{ name: 'a1' }])).toBe(chosen);
});
