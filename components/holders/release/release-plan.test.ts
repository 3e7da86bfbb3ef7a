import { expect, it } from 'vitest';
import type { HeldLock } from '@/server/contract/console/waits/holder-rows';
import { planText } from './release-plan';

const free = { status: 'held', sharedWith: 0, isFrozen: false, next: null } as HeldLock;
const wanted = { ...free, next: { owner: 'heir-1' } } as HeldLock;
const frozen = { ...free, isFrozen: true };

it('says what becomes of the locks of a process, and nothing of what becomes of none', () => {
  expect(planText([free, free, wanted, wanted, frozen])).toBe('2 go to waiters, 2 become free.');
  expect(planText([free, wanted])).toBe('1 goes to a waiter, 1 becomes free.');
  expect(planText([free, free])).toBe('2 become free.');
  expect(planText([frozen])).toBe('');
});

it('speaks of a single lock without counting it', () => {
  expect(planText([free])).toBe('It becomes free.');
  expect(planText([wanted])).toBe('It goes to a waiter.');
});
