import type { Hold } from './holding/lock-hold';
import { refuseUnknownOptions } from './options/refuse-unknown-options';
import { LOCK_OPTIONS, type WithLockOptions, withLock } from './with-lock';

/** A hold that lasts until it is released, or lost. */
export interface AcquiredHold extends Hold {
  /**
   * Ends the hold; a second call returns the same promise. Rejects with `LockLost` if the hold was
   * lost before, and with `ReleaseUnconfirmed` if its release was not answered.
   */
  release(): Promise<void>;
  /** `release`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Waits for the lock and resolves to its hold, which is renewed until it is released:
 *
 *     await using hold = await acquireHold('job');
 *
 * Until the grant it rejects as `withLock` does. Prefer `withLock` for work with a beginning and an
 * end: it cannot forget the release. A hold that is never released is renewed until the process
 * ends, and keeps the process running. The caller must watch `hold.signal`; nothing else interrupts
 * it.
 *
 * Within the work of `withLock` of the same lock it joins that hold, as an inner `withLock` does,
 * and ends with it. The reverse is not true: `withLock` after `acquireHold` requests a hold of its
 * own, and waits for this one.
 */
export async function acquireHold(
  name: string,
  options: WithLockOptions = {},
): Promise<AcquiredHold> {
  refuseUnknownOptions('acquireHold', options, LOCK_OPTIONS);
  let endWork = () => {};
  const untilReleased = new Promise<void>((resolve) => {
    endWork = resolve;
  });
  return new Promise((resolve, reject) => {
    const ended = withLock(name, options, (hold) => {
      const release = () => {
        endWork();
        return ended;
      };
      // The hold itself, not a copy: renewals change what its getters return.
      resolve(Object.assign(hold, { release, [Symbol.asyncDispose]: release }));
      return untilReleased;
    });
    // After the grant this has no effect: `release` reports how the hold ended.
    ended.catch(reject);
  });
}
