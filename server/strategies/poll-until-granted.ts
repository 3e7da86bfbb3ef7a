import { setTimeout } from 'node:timers/promises';
import { isDeadlock } from './mysql-error';
import { NotGranted } from './not-granted';
import type { RaceNote } from './race-note';

export interface PollOptions {
  /** How long to try, at least once. Default 10 s. */
  waitMs?: number;
  /** The pause between two attempts. Default 5 ms. */
  pollEveryMs?: number;
  note?: RaceNote;
}

/**
 * Waits for a lock that has no queue: each caller tries again a little later. The first attempt
 * after a release wins, however long others have waited. An attempt that ends in a deadlock is
 * repeated; other errors are passed on.
 *
 * @param attempt resolves to null if the lock is held
 * @returns what the successful attempt returned; rejects with `NotGranted` after `waitMs`
 */
export async function pollUntilGranted<T>(
  lock: string,
  attempt: () => Promise<T | null>,
  { waitMs = 10_000, pollEveryMs = 5, note }: PollOptions = {},
): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      const grant = await attempt();
      if (grant !== null) return grant;
      note?.('conflict');
    } catch (error) {
      if (!isDeadlock(error)) throw error;
      note?.('deadlock');
    }
    if (performance.now() - startedAt + pollEveryMs > waitMs) {
      throw new NotGranted(lock, `no attempt succeeded within ${waitMs} ms`);
    }
    await setTimeout(pollEveryMs);
    note?.('retry');
  }
}
