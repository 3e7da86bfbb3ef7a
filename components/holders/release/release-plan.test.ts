import { expect, it } from 'vitest';
import type { HeldLock } from '@/server/contract/console/waits/holder-rows';
import { afterRelease, planText } from './release-plan';

const known = { status: 'held', sharedWith: 0, isFrozen: false, delayMs: 0 } as const;
const free = { ...known, next: null } as HeldLock;
const wanted = { ...free, next: { owner: 'heir-1' } } as HeldLock;
const frozen = { ...free, isFrozen: true };

it('says what happens to the locks of a process, and omits what happens to none of them', () => {
  expect(planText([free, free, wanted, wanted, frozen])).toBe('2 go to waiters, 2 become free.');
  expect(planText([free, wanted])).toBe('1 goes to a waiter, 1 becomes free.');
  expect(planText([free, free])).toBe('2 become free.');
  expect(planText([frozen])).toBe('');
});

it('speaks of a single lock without counting it', () => {
  expect(planText([free])).toBe('The lock becomes free.');
  expect(planText([wanted])).toBe('The lock goes to a waiter.');
});

it('promises a lock to no waiter while the lock delay of its namespace lasts', () => {
  const delayed = { ...wanted, delayMs: 5_000 };
  expect(afterRelease(delayed)).toBe('no grants for 5\u00a0s (lock delay)');
  expect(afterRelease({ ...free, delayMs: 5_000 })).toBe('no grants for 5\u00a0s (lock delay)');
  expect(planText([delayed, delayed, wanted])).toBe(
    '1 goes to a waiter, 2 are not granted until their lock delay ends.',
  );
  expect(planText([delayed])).toBe('The lock is not granted until its lock delay ends.');
});

it('promises remaining permits to the next waiter, even if others hold the lock too', () => {
  expect(afterRelease({ ...wanted, sharedWith: 2 })).toBe('granted to heir-1');
  const unknown: HeldLock = { ...free, status: 'unknown' };
  expect(afterRelease(unknown)).toBe('unknown: backend not responding');
  expect(afterRelease(unknown, 'rejecting requests')).toBe('unknown: backend rejecting requests');
  expect(afterRelease({ ...free, sharedWith: 2 })).toBe('still held by 2\u00a0others');
});
