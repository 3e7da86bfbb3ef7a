/*
 * Strategy 16, second of three: a shared/exclusive lock on Redis.
 *
 * Any number of callers can share the lock, or one holds it alone. Those who share it are in a
 * sorted set, each with the end of its own lease by Redis's clock; the exclusive holder has its own
 * key with an expiry. Each script removes expired leases, and decides in the same step.
 *
 * Known limits: a steady stream of callers who share it can keep one who wants it alone waiting for
 * ever. No upgrade from shared to exclusive: two callers who tried would wait for each other.
 * Waiters poll. A holder that is paused for longer than its lease overwrites what others did in the
 * meantime. A failover of Redis may lose the holders.
 *
 * Source: catalogue, section C, strategy 16; the read-write lock of the Redisson client.
 */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { pollUntilGranted } from '../poll-until-granted';
import { thenRelease } from '../then-release';
import { LEASE_MS, type LeaseOptions } from './lease-options';
import { redisScript } from './redis-script';

export type LockMode = 'shared' | 'exclusive';

/** KEYS: exclusive holder, those who share. ARGV: owner, lease. */
const TRY_SHARED = redisScript<number>(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
redis.call('ZADD', KEYS[2], now + ARGV[2], ARGV[1])
return 1
`);

const TRY_EXCLUSIVE = redisScript<number>(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
if redis.call('ZCARD', KEYS[2]) > 0 then
  return 0
end
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return 1
end
return 0
`);

const UNLOCK_SHARED = redisScript<number>(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
return redis.call('ZREM', KEYS[2], ARGV[1])
`);

const UNLOCK_EXCLUSIVE = redisScript<number>(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
`);

const TRY = { shared: TRY_SHARED, exclusive: TRY_EXCLUSIVE };
const UNLOCK = { shared: UNLOCK_SHARED, exclusive: UNLOCK_EXCLUSIVE };

const keysOf = (name: string, { prefix = 'shared-lock:' }: LeaseOptions) => [
  `${prefix}{${name}}`,
  `${prefix}{${name}}:shared`,
];

/** Tries once. False: the lock is held in a mode that excludes this one. */
export async function trySharedExclusiveLock(
  redis: Redis,
  name: string,
  mode: LockMode,
  owner: string,
  options: LeaseOptions = {},
): Promise<boolean> {
  const args = [owner, options.leaseMs ?? LEASE_MS];
  return (await TRY[mode](redis, keysOf(name, options), args)) === 1;
}

/** False: this owner does not hold the lock in this mode (any more). */
export async function unlockSharedExclusive(
  redis: Redis,
  name: string,
  mode: LockMode,
  owner: string,
  options: LeaseOptions = {},
): Promise<boolean> {
  return (await UNLOCK[mode](redis, keysOf(name, options), [owner])) === 1;
}

/** Rejects with `NotGranted` if the lock is not granted in this mode within `waitMs`. */
export async function withSharedExclusiveLock<T>(
  redis: Redis,
  name: string,
  mode: LockMode,
  work: () => Promise<T>,
  options: LeaseOptions = {},
): Promise<T> {
  const owner = randomUUID();
  const tryOnce = async () =>
    (await trySharedExclusiveLock(redis, name, mode, owner, options)) || null;
  await pollUntilGranted(name, tryOnce, options);
  return thenRelease(work, async () => {
    if (!(await unlockSharedExclusive(redis, name, mode, owner, options))) options.onLost?.();
  });
}
