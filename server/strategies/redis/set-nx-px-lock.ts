/*
 * Strategy 12: SET NX PX, and compare-and-delete.
 *
 * One command creates the key with a random value of its owner and an expiry, unless it exists: no
 * crash can leave a lock without an end. To unlock, a script deletes the key only if its value is
 * the owner's, in one step: a late caller frees nothing that is not its own.
 *
 * The script that locks also counts the grants. The count is a fencing token: it rises with each
 * grant of a name, so that a resource that compares it can refuse a late writer. Without such a
 * resource it is useless.
 *
 * Known limits: a holder that is paused for longer than its lease does not notice, and overwrites
 * what others did in the meantime. Not reentrant, not fair: waiters poll. A failover of Redis, or a
 * restart that loses the last writes, loses a lock that is held. The counter of a name stays in
 * Redis for ever, or its tokens would begin again.
 *
 * A pitfall seen in production is kept here as an example: `wronglyUnlockSetNxPx` compares the key
 * with what it has just read from it, so the comparison always succeeds.
 *
 * Source: catalogue, section C, strategy 12; the documentation of Redis, and a write-up on a lock
 * starter for Spring.
 */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { pollUntilGranted } from '../poll-until-granted';
import { thenRelease } from '../then-release';
import { LEASE_MS, type LeaseOptions } from './lease-options';
import { redisScript } from './redis-script';

/** Returns the token of the grant, or 0 if the key exists. */
const LOCK = redisScript<number>(`
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return redis.call('INCR', KEYS[2])
end
return 0
`);

/** Returns 1 if the lock was the owner's and is now free, else 0. */
const UNLOCK = redisScript<number>(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
`);

/** Both keys have the same hash tag, so that a cluster keeps them on one node. */
const keyOf = (name: string, { prefix = 'lock:' }: LeaseOptions) => `${prefix}{${name}}`;

/** Tries once. Returns the fencing token, or null if another owner holds the lock. */
export async function trySetNxPxLock(
  redis: Redis,
  name: string,
  owner: string,
  options: LeaseOptions = {},
): Promise<number | null> {
  const key = keyOf(name, options);
  const token = await LOCK(redis, [key, `${key}:token`], [owner, options.leaseMs ?? LEASE_MS]);
  return token === 0 ? null : token;
}

/** False: this owner does not hold the lock (any more), and nothing was changed. */
export async function unlockSetNxPx(
  redis: Redis,
  name: string,
  owner: string,
  options: LeaseOptions = {},
): Promise<boolean> {
  return (await UNLOCK(redis, [keyOf(name, options)], [owner])) === 1;
}

/** WRONG: compares with the value that it has just read, not with the one that this owner wrote. */
export async function wronglyUnlockSetNxPx(
  redis: Redis,
  name: string,
  options: LeaseOptions = {},
): Promise<boolean> {
  const found = await redis.get(keyOf(name, options));
  return found !== null && unlockSetNxPx(redis, name, found, options);
}

/** Rejects with `NotGranted` if the lock is not free within `waitMs`. */
export async function withSetNxPxLock<T>(
  redis: Redis,
  name: string,
  work: (token: number) => Promise<T>,
  options: LeaseOptions = {},
): Promise<T> {
  const owner = randomUUID();
  const tryOnce = () => trySetNxPxLock(redis, name, owner, options);
  const token = await pollUntilGranted(name, tryOnce, options);
  return thenRelease(
    () => work(token),
    async () => {
      if (!(await unlockSetNxPx(redis, name, owner, options))) options.onLost?.();
    },
  );
}
