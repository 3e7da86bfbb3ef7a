import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NotGranted } from '../not-granted';
import { openScratchRedis, type ScratchRedis } from '../testing/scratch-redis';
import { tryFairQueueLock, unlockFairQueue, withFairQueueLock } from './fair-queue-lock';
import { trySharedExclusiveLock, unlockSharedExclusive } from './shared-exclusive-lock';

const SHORT_MS = 50;

let scratch: ScratchRedis;
beforeAll(() => {
  scratch = openScratchRedis();
});
afterAll(() => scratch?.close());

describe('16, fair queue', () => {
  const attempt = (name: string, owner: string, waiterMs = 60_000) =>
    tryFairQueueLock(scratch.redis, name, owner, { prefix: scratch.prefix, waiterMs });
  const unlock = (name: string, owner: string) =>
    unlockFairQueue(scratch.redis, name, owner, { prefix: scratch.prefix });

  test('the longest waiter is next, in whatever order they poll', async () => {
    expect(await attempt('order', 'holder')).toBe(true);
    for (const waiter of ['first', 'second', 'third']) {
      expect(await attempt('order', waiter)).toBe(false);
    }
    const turns: [holder: string, next: string, others: string[]][] = [
      ['holder', 'first', ['third', 'second', 'late']],
      ['first', 'second', ['late', 'third']],
      ['second', 'third', ['late']],
      ['third', 'late', []],
    ];
    for (const [holder, next, others] of turns) {
      expect(await unlock('order', holder)).toBe(true);
      for (const other of others) expect(await attempt('order', other)).toBe(false);
      expect(await attempt('order', next)).toBe(true);
    }
  });

  test('a waiter that died is skipped', async () => {
    await attempt('dead', 'holder');
    await attempt('dead', 'dies', SHORT_MS);
    await attempt('dead', 'lives');
    await unlock('dead', 'holder');
    await expect.poll(() => attempt('dead', 'lives')).toBe(true);
    expect(await attempt('dead', 'dies')).toBe(false);
  });

  test('a waiter that gave up leaves no place behind', async () => {
    const { redis, prefix } = scratch;
    await attempt('gave up', 'holder');
    const waiting = withFairQueueLock(redis, 'gave up', async () => {}, { prefix, waitMs: 10 });
    await expect(waiting).rejects.toThrow(NotGranted);
    await unlock('gave up', 'holder');
    expect(await attempt('gave up', 'next')).toBe(true);
  });
});

describe('16, shared/exclusive', () => {
  const attempt = (name: string, mode: 'shared' | 'exclusive', owner: string, leaseMs = 60_000) =>
    trySharedExclusiveLock(scratch.redis, name, mode, owner, { prefix: scratch.prefix, leaseMs });
  const unlock = (name: string, mode: 'shared' | 'exclusive', owner: string) =>
    unlockSharedExclusive(scratch.redis, name, mode, owner, { prefix: scratch.prefix });

  test('many share it, or one has it exclusively', async () => {
    expect(await attempt('both', 'shared', 'a')).toBe(true);
    expect(await attempt('both', 'shared', 'b')).toBe(true);
    expect(await attempt('both', 'exclusive', 'c')).toBe(false);
    expect(await unlock('both', 'shared', 'a')).toBe(true);
    expect(await attempt('both', 'exclusive', 'c')).toBe(false);
    expect(await unlock('both', 'shared', 'b')).toBe(true);
    expect(await attempt('both', 'exclusive', 'c')).toBe(true);
    expect(await attempt('both', 'shared', 'a')).toBe(false);
    expect(await attempt('both', 'exclusive', 'd')).toBe(false);
    expect(await unlock('both', 'exclusive', 'd')).toBe(false);
    expect(await unlock('both', 'exclusive', 'c')).toBe(true);
    expect(await attempt('both', 'shared', 'a')).toBe(true);
  });

  test('each share has a lease of its own', async () => {
    await attempt('leases', 'shared', 'dies', SHORT_MS);
    await expect.poll(() => attempt('leases', 'exclusive', 'waits')).toBe(true);
    expect(await unlock('leases', 'shared', 'dies')).toBe(false);
    await unlock('leases', 'exclusive', 'waits');
    await attempt('leases', 'shared', 'lives');
    await attempt('leases', 'shared', 'dies', 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await attempt('leases', 'exclusive', 'waits')).toBe(false);
  });
});
