import { LockTimeout } from './errors';
import type { Hold } from './holding/lock-hold';
import { optionsAndWork, refuseUnknownOptions } from './options/refuse-unknown-options';
import type { Holder } from './wire/wire';
import { LOCK_OPTIONS, type WithLockOptions, withLock } from './with-lock';

/** The work ran, and its release was confirmed. */
export interface WorkDone<T> {
  outcome: 'done';
  value: T;
}

/** The lock was not granted in time; the work did not run. */
export interface HeldByOthers {
  outcome: 'held';
  /** As last reported; empty for a lock that is frozen while free. */
  holders: Holder[];
  /** Why an operator has frozen the lock; null if it is not frozen. */
  frozen: string | null;
}

type Work<T> = (hold: Hold) => Promise<T> | T;

/**
 * Runs `work` under the lock if it is granted, by default without waiting: `withLock` with a
 * default `waitMs` of 0, for which a lock held by others is a result, not an error. Otherwise
 * rejects as `withLock` does, and also with a `LockTimeout` that the work itself threw.
 */
export function tryWithLock<T>(name: string, work: Work<T>): Promise<WorkDone<T> | HeldByOthers>;
export function tryWithLock<T>(
  name: string,
  options: WithLockOptions,
  work: Work<T>,
): Promise<WorkDone<T> | HeldByOthers>;
export async function tryWithLock<T>(
  name: string,
  ...rest: [Work<T>] | [WithLockOptions, Work<T>]
): Promise<WorkDone<T> | HeldByOthers> {
  const { options, work } = optionsAndWork('tryWithLock', rest);
  refuseUnknownOptions('tryWithLock', options, LOCK_OPTIONS);
  let hasBegun = false;
  try {
    const waitMs = options.waitMs === undefined ? 0 : options.waitMs;
    const value = await withLock(name, { ...options, waitMs }, (hold) => {
      hasBegun = true;
      return work(hold);
    });
    return { outcome: 'done', value };
  } catch (error) {
    if (hasBegun || !(error instanceof LockTimeout)) throw error;
    return { outcome: 'held', holders: error.holders, frozen: error.frozen };
  }
}
