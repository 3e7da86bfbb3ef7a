/*
 * Strategy 11: SETNX and EXPIRE, with its two faults.
 *
 * SETNX creates the key unless it exists, and so selects one caller; its value says when the lock
 * expires. EXPIRE then has Redis remove it. A caller that finds an expired key deletes it first,
 * and continues as if there had been none. To unlock is to delete the key.
 *
 * Known limits, the first two seen in production:
 * - Two commands are not one. If the caller dies, or its connection breaks, between SETNX and
 *   EXPIRE, the key has no expiry and stays for ever. The time in its value was the remedy
 *   (`deletesStale`), and caused the second fault.
 * - What is deleted is not what was read. Two callers read the same stale value; the first deletes
 *   it, creates its own, and wins; the second deletes that one, creates its own, and wins too.
 * - The value compares the clocks of different machines.
 * - No owner: a late caller deletes the key of the caller that holds the lock by then.
 * - A holder that is paused for longer than its lease overwrites what others did in the meantime.
 * Strategy 12 has only the last of them.
 *
 * Source: catalogue, section C, strategy 11; a write-up on how a lock on Redis failed in
 * production.
 */
import type { Redis } from 'ioredis';
import { systemClock } from '@/server/platform/clock';
import { pollUntilGranted } from '../poll-until-granted';
import { thenRelease } from '../then-release';
import { LEASE_MS, type LeaseOptions } from './lease-options';

export interface SetnxOptions extends Omit<LeaseOptions, 'onLost'> {
  /** Whether a caller deletes a key that has expired according to its value. Default true. */
  deletesStale?: boolean;
}

const keyOf = (name: string, { prefix = 'setnx-lock:' }: SetnxOptions) => `${prefix}${name}`;

/** Tries once. False: another caller holds the lock. */
export async function trySetnxLock(
  redis: Redis,
  name: string,
  options: SetnxOptions = {},
): Promise<boolean> {
  const { leaseMs = LEASE_MS, deletesStale = true } = options;
  const key = keyOf(name, options);
  if (deletesStale) {
    const expiresAt = await redis.get(key);
    const isStale = expiresAt !== null && Number(expiresAt) < systemClock.now();
    // WRONG: by now the key may be another caller's, created since the read.
    if (isStale) await redis.del(key);
  }
  const isCreated = await redis.setnx(key, systemClock.now() + leaseMs);
  if (isCreated === 0) return false;
  // WRONG: nothing ensures that this is reached.
  await redis.pexpire(key, leaseMs);
  return true;
}

/** WRONG: frees the lock, even that of another caller. */
export async function unlockSetnx(
  redis: Redis,
  name: string,
  options: SetnxOptions = {},
): Promise<void> {
  await redis.del(keyOf(name, options));
}

/** Rejects with `NotGranted` if the lock is not free within `waitMs`. */
export async function withSetnxLock<T>(
  redis: Redis,
  name: string,
  work: () => Promise<T>,
  options: SetnxOptions = {},
): Promise<T> {
  const tryOnce = async () => (await trySetnxLock(redis, name, options)) || null;
  await pollUntilGranted(name, tryOnce, options);
  return thenRelease(work, () => unlockSetnx(redis, name, options));
}
