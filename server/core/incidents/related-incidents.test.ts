import { expect, test } from 'vitest';
import { relationOf } from './related-incidents';

const hold = (owner: string, more: object = {}) => {
  return { service: 'orders', owner, token: 1, grantedAt: 100, ...more };
};
const waiter = (owner: string, from = 200, to: number | null = null) => {
  return { service: 'orders', owner, from, to };
};
const heldUntil = 500;
const alone = { heldUntil, waiters: [] };

test('incidents are related if a holder waits for the other lock, or a process holds both', () => {
  const mine = { hold: hold('a'), heldUntil, waiters: [waiter('b')] };
  expect(relationOf(mine, { ...alone, hold: hold('b') })).toBe('effect');
  expect(relationOf(mine, { ...alone, hold: hold('c'), waiters: [waiter('a')] })).toBe('cause');
  expect(relationOf(mine, { ...alone, hold: hold('a') })).toBe('sameProcess');
  expect(relationOf(mine, { ...alone, hold: hold('c'), waiters: [waiter('b')] })).toBeNull();
  expect(relationOf({ ...mine, hold: null }, { ...alone, hold: null })).toBeNull();
  const [x, y] = [hold('x', { host: 'h', pid: '7' }), hold('y', { host: 'h', pid: '7' })];
  expect(relationOf({ ...alone, hold: x }, { ...alone, hold: y })).toBe('sameProcess');
  const other = hold('x', { host: 'h', pid: '8' });
  expect(relationOf({ ...alone, hold: x }, { ...alone, hold: other })).toBeNull();
  const foreign = { ...hold('a'), service: 'billing' };
  expect(relationOf(mine, { ...alone, hold: foreign })).toBeNull();
});

test('a holder that waited only before or after its hold does not relate two incidents', () => {
  const mine = { hold: hold('a'), heldUntil };
  const other = { ...alone, hold: hold('b') };
  expect(relationOf({ ...mine, waiters: [waiter('b', 10, 90)] }, other)).toBeNull();
  expect(relationOf({ ...mine, waiters: [waiter('b', 600, 700)] }, other)).toBeNull();
  expect(relationOf({ ...mine, waiters: [waiter('b', 10, 150)] }, other)).toBe('effect');
  // A lock may be in trouble long after its last hold, as while it is frozen.
  const former = { ...alone, hold: hold('b', { endedAt: 300 }) };
  expect(relationOf({ ...mine, waiters: [waiter('b', 350)] }, former)).toBeNull();
  expect(relationOf({ ...mine, waiters: [waiter('b', 250)] }, former)).toBe('effect');
});
