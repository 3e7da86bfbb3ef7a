import { expect, test } from 'vitest';
import type { LockEvent } from '@/server/core/lock/lock-event';
import { ReassignReferee } from './reassign-referee';

const NOW = 1_000_000;

const event = (kind: LockEvent['kind'], at: number, waitedMs: number, by?: string): LockEvent => ({
  kind,
  at,
  rev: 1,
  service: 'orders',
  owner: 'w1',
  waitedMs,
  ...(by !== undefined && { by }),
});

test('a waiter that an operator chose remains so when another of its owner times out', () => {
  const referee = new ReassignReferee();
  const waiters = [NOW - 200, NOW - 450].map((enqueuedAt) => ({ owner: 'w1', enqueuedAt }));
  const isChosen = (one: LockEvent) => referee.isChosen('default/a', one, waiters);
  expect(isChosen(event('offered', NOW, 200, 'ana'))).toBe(false);
  expect(isChosen(event('timeout', NOW + 50, 500))).toBe(false);
  expect(isChosen(event('granted', NOW + 50, 250))).toBe(true);
  expect(isChosen(event('granted', NOW + 90, 90))).toBe(false);
});

test('a waiter that an operator chose remains so although the clock was set back', () => {
  const referee = new ReassignReferee();
  const waiters = [{ owner: 'w1', enqueuedAt: NOW + 100 }];
  const isChosen = (one: LockEvent) => referee.isChosen('default/a', one, waiters);
  expect(isChosen(event('offered', NOW, 0, 'ana'))).toBe(false);
  expect(isChosen(event('granted', NOW + 70, 0))).toBe(true);
});
