/*
 * Strategy 14: a reentrant lock, counted in a Redis hash.
 *
 * The key is a hash with one field: its name is the owner, its value how many times the owner holds
 * the lock. A re-entry adds 1 and restarts the lease, from any process that knows the owner's name.
 * Each script is one step.
 *
 * Unlock has three answers: the lock is released, it went one level down, or the caller is not its
 * owner. They are integers on the wire. Lua's `false` and `nil` arrive as the same empty answer, so
 * a boolean would merge "one level down" with "not the owner".
 *
 * Known limits: the lease is that of the whole hold, whatever the level. A holder that is paused
 * for longer overwrites what others did in the meantime. Not fair: waiters poll. A failover of
 * Redis may lose a lock that is held. Repeating an unlock whose first reply was lost removes two
 * levels.
 *
 * Source: catalogue, section C, strategy 14; a write-up on reentrant locks in Lua, and the Redisson
 * client.
 */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { pollUntilGranted } from '../poll-until-granted';
import { thenRelease } from '../then-release';
import { LEASE_MS, type LeaseOptions } from './lease-options';
import { redisScript } from './redis-script';

/** Returns how many times the owner holds the lock now; 0 if another owner does. */
const LOCK = redisScript<number>(`
if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return 0
end
local count = redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return count
`);

const UNLOCK = redisScript<-1 | 0 | 1>(`
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return -1
end
if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) > 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 0
end
redis.call('DEL', KEYS[1])
return 1
`);

export type UnlockAnswer = 'released' | 'one level down' | 'not the owner';

const ANSWERS = { 1: 'released', 0: 'one level down', [-1]: 'not the owner' } as const;

const keyOf = (name: string, { prefix = 'counted-lock:' }: LeaseOptions) => `${prefix}${name}`;

/** Tries once. Returns how many times the owner holds the lock; null if another owner does. */
export async function tryHashCountedLock(
  redis: Redis,
  name: string,
  owner: string,
  options: LeaseOptions = {},
): Promise<number | null> {
  const count = await LOCK(redis, [keyOf(name, options)], [owner, options.leaseMs ?? LEASE_MS]);
  return count === 0 ? null : count;
}

export async function unlockHashCounted(
  redis: Redis,
  name: string,
  owner: string,
  options: LeaseOptions = {},
): Promise<UnlockAnswer> {
  const lease = options.leaseMs ?? LEASE_MS;
  return ANSWERS[await UNLOCK(redis, [keyOf(name, options)], [owner, lease])];
}

/**
 * Runs the work under the lock, with its owner's name for re-entry. Rejects with `NotGranted` if
 * the lock is not free within `waitMs`.
 */
export async function withHashCountedLock<T>(
  redis: Redis,
  name: string,
  work: (owner: string) => Promise<T>,
  { owner = randomUUID(), ...options }: LeaseOptions & { owner?: string } = {},
): Promise<T> {
  const tryOnce = () => tryHashCountedLock(redis, name, owner, options);
  await pollUntilGranted(name, tryOnce, options);
  return thenRelease(
    () => work(owner),
    async () => {
      const answer = await unlockHashCounted(redis, name, owner, options);
      if (answer === 'not the owner') options.onLost?.();
    },
  );
}
