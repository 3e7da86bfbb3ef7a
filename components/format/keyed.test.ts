import { expect, test } from 'vitest';
import { keyed } from './keyed';

test('each item has its own key, even if two look alike', () => {
  const owners = ['ada', 'bob', 'ada', 'ada'];
  expect(keyed(owners, (owner) => owner)).toEqual([
    { key: 'ada', item: 'ada' },
    { key: 'bob', item: 'bob' },
    { key: 'ada 2', item: 'ada' },
    { key: 'ada 3', item: 'ada' },
  ]);
  const keys = keyed(['a', 'a', 'a 2', 'a 2'], (name) => name).map(({ key }) => key);
  expect(new Set(keys).size).toBe(4);
});
