/*
 * Strategy 17: counters on Redis, one that keeps its bound and one that does not.
 *
 * `takeAtomically` checks and subtracts in one script, so no two callers can take the same unit.
 * `wronglyTake` reads, checks, and writes back: callers who read before the first of them has
 * written take the same unit. That is how a counter of 10 prizes handed out 14.
 *
 * Known limits, even of the one that keeps its bound: a take whose reply is lost may have been
 * executed, and a second attempt takes another unit. A failover, or a restart that loses the last
 * writes, sets the counter back, and the units taken since then are handed out again. Nothing
 * connects the counter with the order for which a unit is taken: a crash between the two loses the
 * unit. An absent counter counts as 0.
 *
 * Source: catalogue, section C, strategy 17; a write-up on the prizes of a campaign.
 */
import type { Redis } from 'ioredis';
import { redisScript } from './redis-script';

/** Returns how many are left afterwards; -1 if there were not enough. */
const TAKE = redisScript<number>(`
local left = tonumber(redis.call('GET', KEYS[1]) or '0')
local amount = tonumber(ARGV[1])
if left < amount then
  return -1
end
return redis.call('DECRBY', KEYS[1], amount)
`);

export async function setRedisCounter(redis: Redis, key: string, value: number): Promise<void> {
  await redis.set(key, value);
}

/** Returns how many are left; null, with nothing taken, if there are not enough. */
export async function takeAtomically(
  redis: Redis,
  key: string,
  amount = 1,
): Promise<number | null> {
  const left = await TAKE(redis, [key], [amount]);
  return left === -1 ? null : left;
}

/**
 * WRONG: returns as `takeAtomically` does, but others may take the same units meanwhile.
 *
 * @param think what the caller does between reading and writing
 */
export async function wronglyTake(
  redis: Redis,
  key: string,
  { amount = 1, think }: { amount?: number; think?: () => Promise<void> } = {},
): Promise<number | null> {
  const left = Number((await redis.get(key)) ?? 0);
  if (left < amount) return null;
  await think?.();
  await redis.set(key, left - amount);
  return left - amount;
}
