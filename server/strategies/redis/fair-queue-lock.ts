/*
 * Strategy 16, first of three: a fair queue on Redis.
 *
 * A waiter takes a place in a sorted set, by a number that only rises; the lock is granted only to
 * the first place, so the longest waiter is next. A waiter shows that it is alive by asking again;
 * one that has not asked for `waiterMs` loses its place. One script does all of this in one step,
 * with Redis's own clock.
 *
 * Known limits: waiters poll, so each costs Redis a script every few milliseconds, and a free lock
 * waits for the next poll of the first in the queue. A waiter that dies keeps the queue waiting for
 * `waiterMs`. One that is paused for longer loses its place. A holder that is paused for longer
 * than its lease overwrites what others did in the meantime. A failover of Redis may lose holder
 * and queue.
 *
 * Source: catalogue, section C, strategy 16; the fair lock of the Redisson client.
 */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { pollUntilGranted } from '../poll-until-granted';
import { thenRelease } from '../then-release';
import { LEASE_MS, type LeaseOptions } from './lease-options';
import { redisScript } from './redis-script';

export interface FairQueueOptions extends LeaseOptions {
  /** A waiter that has not asked for this long counts as dead. Default 5 s. */
  waiterMs?: number;
}

const WAITER_MS = 5_000;

/**
 * KEYS: holder, queue, until when each waiter is alive, last place. ARGV: owner, lease, waiterMs.
 */
const TRY = redisScript<number>(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, dead in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', '(' .. now)) do
  redis.call('ZREM', KEYS[2], dead)
  redis.call('ZREM', KEYS[3], dead)
end
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  redis.call('ZADD', KEYS[2], redis.call('INCR', KEYS[4]), ARGV[1])
end
redis.call('ZADD', KEYS[3], now + ARGV[3], ARGV[1])
local first = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
if first ~= ARGV[1] or redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
return 1
`);

const LEAVE = redisScript<number>(`
redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('ZREM', KEYS[1], ARGV[1])
`);

const UNLOCK = redisScript<number>(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
`);

function keysOf(name: string, prefix = 'fair-lock:') {
  const holder = `${prefix}{${name}}`;
  return {
    holder,
    queue: `${holder}:queue`,
    alive: `${holder}:alive`,
    lastPlace: `${holder}:last-place`,
  };
}

/** Takes a place in the queue, or keeps it. True: the lock is granted. */
export async function tryFairQueueLock(
  redis: Redis,
  name: string,
  owner: string,
  { prefix, leaseMs = LEASE_MS, waiterMs = WAITER_MS }: FairQueueOptions = {},
): Promise<boolean> {
  const { holder, queue, alive, lastPlace } = keysOf(name, prefix);
  return (await TRY(redis, [holder, queue, alive, lastPlace], [owner, leaseMs, waiterMs])) === 1;
}

/** False: this owner does not hold the lock (any more). */
export async function unlockFairQueue(
  redis: Redis,
  name: string,
  owner: string,
  { prefix }: FairQueueOptions = {},
): Promise<boolean> {
  return (await UNLOCK(redis, [keysOf(name, prefix).holder], [owner])) === 1;
}

/** Rejects with `NotGranted`, and leaves the queue, if the lock is not granted within `waitMs`. */
export async function withFairQueueLock<T>(
  redis: Redis,
  name: string,
  work: () => Promise<T>,
  options: FairQueueOptions = {},
): Promise<T> {
  const owner = randomUUID();
  const tryOnce = async () => (await tryFairQueueLock(redis, name, owner, options)) || null;
  try {
    await pollUntilGranted(name, tryOnce, options);
  } catch (error) {
    const { queue, alive } = keysOf(name, options.prefix);
    await LEAVE(redis, [queue, alive], [owner]).catch(() => undefined);
    throw error;
  }
  return thenRelease(work, async () => {
    if (!(await unlockFairQueue(redis, name, owner, options))) options.onLost?.();
  });
}
