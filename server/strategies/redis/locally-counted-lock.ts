/*
 * Strategy 13: a reentrant lock, counted in the caller's context.
 *
 * Each caller has a map from names to counts: a thread-local in other languages,
 * `AsyncLocalStorage` here. The first lock of a name takes the lock of strategy 12, and later ones
 * of the same caller only add 1, without asking Redis. Unlock subtracts 1, and frees the lock in
 * Redis at 0.
 *
 * Known limits:
 * - The key may expire while the local count says "held": a re-entry then succeeds although another
 *   caller holds the lock.
 * - A re-entry does not extend the lease.
 * - Other processes cannot re-enter, even on behalf of the same caller.
 * - Work that a caller runs concurrently shares its context: `Promise.all` of two re-entries lets
 *   both in.
 * - The limits of strategy 12: a late holder overwrites what others did.
 * Strategy 14 does not have the first three.
 *
 * Source: catalogue, section C, strategy 13; a write-up on reentrant locks on Redis.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { pollUntilGranted } from '../poll-until-granted';
import { thenRelease } from '../then-release';
import type { LeaseOptions } from './lease-options';
import { trySetNxPxLock, unlockSetNxPx } from './set-nx-px-lock';

interface Caller {
  owner: string;
  counts: Map<string, number>;
}

/** The locks that the callers of one process share. */
export class LocallyCountedLocks {
  private readonly callers = new AsyncLocalStorage<Caller>();

  constructor(
    private readonly redis: Redis,
    private readonly options: LeaseOptions = {},
  ) {}

  /**
   * Runs the work as a new caller, or as the same caller if it is called within a caller's work.
   */
  asCaller<T>(work: () => Promise<T>): Promise<T> {
    if (this.callers.getStore()) return work();
    return this.callers.run({ owner: randomUUID(), counts: new Map() }, work);
  }

  /** Tries once. Returns how many times this caller holds the lock; null if another one does. */
  async tryLock(name: string): Promise<number | null> {
    const { owner, counts } = this.caller();
    const count = counts.get(name) ?? 0;
    if (count === 0) {
      const token = await trySetNxPxLock(this.redis, name, owner, this.options);
      if (token === null) return null;
    }
    counts.set(name, count + 1);
    return count + 1;
  }

  /** False: this caller did not hold the lock, or its lease had already expired. */
  async unlock(name: string): Promise<boolean> {
    const { owner, counts } = this.caller();
    const count = counts.get(name) ?? 0;
    if (count === 0) return false;
    if (count > 1) {
      counts.set(name, count - 1);
      return true;
    }
    counts.delete(name);
    return unlockSetNxPx(this.redis, name, owner, this.options);
  }

  /** How many times this caller holds the lock, as far as its own process knows. */
  count(name: string): number {
    return this.caller().counts.get(name) ?? 0;
  }

  private caller(): Caller {
    const caller = this.callers.getStore();
    if (!caller) throw new Error('Locks are counted within `asCaller`.');
    return caller;
  }
}

/**
 * Runs the work under the lock; may be called again within the work. Rejects with `NotGranted` if
 * the lock is not free within `waitMs`.
 */
export function withLocallyCountedLock<T>(
  locks: LocallyCountedLocks,
  name: string,
  work: () => Promise<T>,
  options: Pick<LeaseOptions, 'waitMs' | 'pollEveryMs' | 'note' | 'onLost'> = {},
): Promise<T> {
  return locks.asCaller(async () => {
    await pollUntilGranted(name, () => locks.tryLock(name), options);
    return thenRelease(work, async () => {
      if (!(await locks.unlock(name))) options.onLost?.();
    });
  });
}
