import { expect, test } from 'vitest';
import { findFilling } from './filling-namespaces';

const namespace = (name: string, used: number) => ({ name, used, maxLocks: 100 });

test('a full namespace is listed before nearly full ones, and called full', () => {
  const near = namespace('near', 95);
  const full = namespace('full', 100);
  const all = [near, namespace('free', 3), full, namespace('also', 120)];
  expect(findFilling(all)).toEqual({ first: full, isFull: true, more: 1, nearly: 1 });
  expect(findFilling(all.slice(0, 2))).toMatchObject({ first: near, isFull: false, more: 0 });
  expect(findFilling([namespace('free', 3)])).toBeNull();
});
