import { expect, test } from 'vitest';
import { relationOf } from './related-incidents';

const hold = (owner: string, more: object = {}) => {
  return { service: 'orders', owner, token: 1, grantedAt: 0, ...more };
};
const waiter = (owner: string) => ({ service: 'orders', owner });

test('incidents go together where the holder of one lock waits for the other, or is one process', () => {
  const mine = { hold: hold('a'), waiters: [waiter('b')] };
  expect(relationOf(mine, { hold: hold('b'), waiters: [] })).toBe('effect');
  expect(relationOf(mine, { hold: hold('c'), waiters: [waiter('a')] })).toBe('cause');
  expect(relationOf(mine, { hold: hold('a'), waiters: [] })).toBe('sameProcess');
  expect(relationOf(mine, { hold: hold('c'), waiters: [waiter('b')] })).toBeNull();
  expect(relationOf({ ...mine, hold: null }, { hold: null, waiters: [] })).toBeNull();
  const [x, y] = [hold('x', { host: 'h', pid: '7' }), hold('y', { host: 'h', pid: '7' })];
  expect(relationOf({ hold: x, waiters: [] }, { hold: y, waiters: [] })).toBe('sameProcess');
  const other = hold('x', { host: 'h', pid: '8' });
  expect(relationOf({ hold: x, waiters: [] }, { hold: other, waiters: [] })).toBeNull();
  const foreign = { ...hold('a'), service: 'billing' };
  expect(relationOf(mine, { hold: foreign, waiters: [] })).toBeNull();
});
