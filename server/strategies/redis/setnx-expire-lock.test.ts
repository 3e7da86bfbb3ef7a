import { afterAll, beforeAll, expect, test } from 'vitest';
import { interpose } from '../testing/interpose';
import { signal } from '../testing/open-ended';
import { openScratchRedis, type ScratchRedis } from '../testing/scratch-redis';
import { trySetNxPxLock, unlockSetNxPx, wronglyUnlockSetNxPx } from './set-nx-px-lock';
import { trySetnxLock, unlockSetnx } from './setnx-expire-lock';

const SHORT_MS = 30;

let scratch: ScratchRedis;
beforeAll(() => {
  scratch = openScratchRedis();
});
afterAll(() => scratch?.close());

const untilGone = (key: string) => expect.poll(() => scratch.redis.exists(key)).toBe(0);

test('11: a crash between SETNX and EXPIRE leaves a lock for ever', async () => {
  const { redis, prefix } = scratch;
  const options = { prefix, leaseMs: SHORT_MS, deletesStale: false };
  const dying = interpose(redis, {
    pexpire: () => Promise.reject(new Error('The connection broke.')),
  });
  await expect(trySetnxLock(dying, 'crash', options)).rejects.toThrow('The connection broke.');
  await new Promise((resolve) => setTimeout(resolve, 2 * SHORT_MS));
  expect(await redis.pttl(`${prefix}crash`)).toBe(-1);
  expect(await trySetnxLock(redis, 'crash', options)).toBe(false);
  // The remedy of its authors, which causes the second fault.
  expect(await trySetnxLock(redis, 'crash', { ...options, deletesStale: true })).toBe(true);
});

test('12: no moment of a crash leaves a lock without an end', async () => {
  const { redis, prefix } = scratch;
  await trySetNxPxLock(redis, 'crash', 'a', { prefix });
  expect(await redis.pttl(`${prefix}{crash}`)).toBeGreaterThan(0);
  await redis.pexpire(`${prefix}{crash}`, SHORT_MS);
  await untilGone(`${prefix}{crash}`);
  expect(await trySetNxPxLock(redis, 'crash', 'b', { prefix })).not.toBe(null);
});

test('11: of two callers that find the same stale key both win; in 12 one does', async () => {
  const { redis, prefix } = scratch;
  await redis.set(`${prefix}stale`, Date.now() - 1);
  const firstHasWon = signal();
  const slow = interpose(redis, {
    async del(key: string) {
      await firstHasWon.given;
      return redis.del(key);
    },
  });
  const second = trySetnxLock(slow, 'stale', { prefix });
  expect(await trySetnxLock(redis, 'stale', { prefix })).toBe(true);
  firstHasWon.give();
  expect(await second).toBe(true);

  await trySetNxPxLock(redis, 'stale', 'dead', { prefix, leaseMs: SHORT_MS });
  await untilGone(`${prefix}{stale}`);
  const owners = Array.from({ length: 10 }, (_, i) => `owner-${i}`);
  const tokens = await Promise.all(
    owners.map((owner) => trySetNxPxLock(redis, 'stale', owner, { prefix })),
  );
  expect(tokens.filter((token) => token !== null)).toEqual([2]);
});

test("11: a late unlock frees another caller's lock", async () => {
  const { redis, prefix } = scratch;
  const options = { prefix, leaseMs: SHORT_MS };
  await trySetnxLock(redis, 'late', options);
  await untilGone(`${prefix}late`);
  expect(await trySetnxLock(redis, 'late', { prefix })).toBe(true);
  await unlockSetnx(redis, 'late', options);
  expect(await trySetnxLock(redis, 'late', { prefix })).toBe(true);
});

test('12: a late unlock frees nothing, unless it compares with what it has just read', async () => {
  const { redis, prefix } = scratch;
  await trySetNxPxLock(redis, 'late', 'slow', { prefix, leaseMs: SHORT_MS });
  await untilGone(`${prefix}{late}`);
  expect(await trySetNxPxLock(redis, 'late', 'second', { prefix })).not.toBe(null);
  expect(await unlockSetNxPx(redis, 'late', 'slow', { prefix })).toBe(false);
  expect(await trySetNxPxLock(redis, 'late', 'third', { prefix })).toBe(null);
  // The owner is not compared: any caller frees the lock of any other.
  expect(await wronglyUnlockSetNxPx(redis, 'late', { prefix })).toBe(true);
  expect(await trySetNxPxLock(redis, 'late', 'third', { prefix })).not.toBe(null);
});

test('12: each grant has a higher token', async () => {
  const { redis, prefix } = scratch;
  const tokens: (number | null)[] = [];
  for (const owner of ['a', 'b', 'c']) {
    tokens.push(await trySetNxPxLock(redis, 'tokens', owner, { prefix }));
    await unlockSetNxPx(redis, 'tokens', owner, { prefix });
  }
  expect(tokens).toEqual([1, 2, 3]);
});
