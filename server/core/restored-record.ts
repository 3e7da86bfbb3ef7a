import type { CounterRecord } from './counter/counter-record';
import { type Decision, Draft } from './decision';
import { restoredToken, sinceEra } from './fencing-token';
import type { LockRecord } from './lock/lock-record';
import { settle } from './lock/settle';
import { endHold } from './lock/tenure';

/** A restore, as it is told to those who held something. */
export interface Restoration {
  /** The backend's epoch from now on: above every one that it had. */
  epoch: number;
  /** The backend's clock, epoch milliseconds. */
  now: number;
  /** Until when a hold from before may last that nobody knows of; nothing is granted earlier. */
  grantsFrom: number;
  by: string;
  reason: string;
}

/**
 * A lock as it stands after its backend was brought back from a backup.
 *
 * Whoever held it when the backup was made may have lost it since, and somebody else may hold it now: every hold of the
 * backup is over, its holder told so, and every token from before is below the next one. Nobody is granted the lock
 * until the leases from before are surely over. Whoever waited is gone. A freeze stays. The rev passes every one that
 * the lock had.
 */
export function restoredLock(
  record: LockRecord,
  { epoch, now, grantsFrom, by, reason }: Restoration,
): Pick<Decision<null>, 'events'> & { next: LockRecord } {
  const policy = { queueLimit: 0, lockDelayMs: 0 };
  const nobody = { process: '', isAlive: () => false, callerOf: () => null, remembered: null };
  const context = { now, epoch, policy, ...nobody };
  const rev = Math.max(record.rev, sinceEra(now));
  const queue = record.queue.map((waiter) => ({ ...waiter, detachedUntil: null }));
  const draft = new Draft({ ...record, rev, queue }, { verb: 'settle' }, context);
  draft.change({ delayedUntil: Math.max(record.delayedUntil, grantsFrom) });
  settle(draft);
  for (const hold of draft.record.holds) endHold(draft, hold, 'forced', draft.now, { by, reason });
  draft.change({ lastToken: restoredToken(record.lastToken, epoch, now) });
  const { next, events } = draft.finish(null);
  return { next: next ?? draft.record, events };
}

/** A counter as it stands after a restore: the value and bounds of the backup, under a rev that passes every earlier one. */
export function restoredCounter(record: CounterRecord, now: number): CounterRecord {
  return { ...record, rev: Math.max(record.rev, sinceEra(now)) + 1 };
}
