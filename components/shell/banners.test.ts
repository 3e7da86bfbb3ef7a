import { expect, test } from 'vitest';
import type { NamespacePolicy } from '@/server/contract/namespace-policy';
import { fillingNamespaces } from './banners';

const used = (name: string, locks: number) => {
  return { name, locks, counters: 0, policy: { maxLocks: 100 } as NamespacePolicy };
};

test('a full namespace comes before those that are nearly full, and is not said to be nearly so', () => {
  const rows = [used('near', 95), used('free', 3), used('full', 100), used('also', 120)];
  expect(fillingNamespaces(rows)).toEqual({ first: rows[2], isFull: true, more: 1, nearly: 1 });
  expect(fillingNamespaces(rows.slice(0, 2))).toMatchObject({
    ...{ first: rows[0], isFull: false, more: 0 },
  });
  expect(fillingNamespaces([used('free', 3)])).toBeNull();
});
