import { expect, test } from 'vitest';
import type { LockRow } from '@/server/contract/console/lock-row';
import { sharedRows } from './shared-rows';

const row = (part: Partial<LockRow>): LockRow => ({
  id: 'a',
  namespace: 'n',
  name: 'a',
  backend: 'default',
  rev: 1,
  status: 'held',
  hold: null,
  holders: 0,
  stuck: null,
  frozen: null,
  delayedUntil: 0,
  ended: null,
  waiters: 0,
  oldestWaitAt: null,
  ownHold: null,
  readAt: 5,
  ...part,
});

test('a row that has not changed stays the same object', () => {
  const old = row({});
  expect(sharedRows([old], [row({ readAt: 9 })])[0]).toBe(old);
});

test('a row that has changed is the fresh one', () => {
  const old = row({});
  for (const part of [{ rev: 2 }, { status: 'contended' as const }, { waiters: 1 }, { id: 'b' }]) {
    const fresh = row(part);
    expect(sharedRows([old], [fresh])[0]).toBe(fresh);
  }
});

test('of an unknown lock the time of the reading counts', () => {
  const fresh = row({ status: 'unknown', readAt: 9 });
  expect(sharedRows([row({ status: 'unknown' })], [fresh])[0]).toBe(fresh);
});
