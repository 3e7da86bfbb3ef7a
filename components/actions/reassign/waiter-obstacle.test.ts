import { expect, it } from 'vitest';
import type { WaiterRow } from '@/server/contract/console/lock-row';
import type { HoldSnapshot } from '../hold-snapshot';
import { waiterObstacle } from './waiter-obstacle';

const HOLD = { owner: 'w1', service: 'orders', token: 7, grantedAt: 0, expiresAt: 9 };

const side = (part: Partial<HoldSnapshot> = {}): HoldSnapshot => ({
  rev: 1,
  hold: HOLD,
  others: 0,
  isFrozen: false,
  waiters: 1,
  oldestWaitAt: 0,
  queue: [],
  ...part,
});

const waiter = (part: Partial<WaiterRow> = {}): WaiterRow => ({
  ticket: 3,
  mode: 'exclusive',
  owner: 'w2',
  service: 'orders',
  process: 'p1',
  enqueuedAt: 0,
  patienceUntil: 9,
  detached: false,
  ...part,
});

it('lets the only hold go to any waiter but a multi-lock, unless the lock is frozen', () => {
  expect(waiterObstacle(side(), waiter())).toBeNull();
  expect(waiterObstacle(side(), waiter({ setSize: 2 }))).toBe('multiLock');
  expect(waiterObstacle(side({ isFrozen: true }), waiter())).toBe('frozen');
});

it('lets a reader go beside other readers, and no writer', () => {
  const shared = side({ others: 2 });
  expect(waiterObstacle(shared, waiter({ mode: 'shared' }))).toBeNull();
  expect(waiterObstacle(shared, waiter())).toBe('noRoom');
});

it('lets permits go as far as those that were freed are enough', () => {
  const hold = { ...HOLD, permits: 2 };
  const permits = side({ others: 1, hold, permits: { capacity: 4, inUse: 4 } });
  expect(waiterObstacle(permits, waiter({ mode: 'permit', permits: 2 }))).toBeNull();
  expect(waiterObstacle(permits, waiter({ mode: 'permit', permits: 3 }))).toBe('noRoom');
  expect(waiterObstacle(permits, waiter())).toBe('noRoom');
});
