import type { CounterRecord } from './counter/counter-record';
import type { Decision } from './decision';
import { Draft } from './draft';
import { restoredToken, sinceEra } from './fencing-token';
import { expireAndPromote } from './lock/expire-and-promote';
import { endHold } from './lock/hold-lifecycle';
import { isReleased, type LockRecord } from './lock/lock-record';

/** The facts of a restore. Former holders see `by`, `reason` and `now`. */
export interface Restore {
  /** The backend's new epoch, above every earlier one. */
  epoch: number;
  /** The backend's clock, epoch milliseconds. */
  now: number;
  /** Until when holds from before the restore can last; nothing is granted earlier. */
  grantsFrom: number;
  /** How far the clock to which the lock moves is ahead of its former one; absent: the same. */
  aheadMs?: number;
  by: string;
  reason: string;
}

/**
 * A lock after its backend was restored from a backup.
 *
 * The holders in the backup may have lost the lock since it was made, and another caller may hold
 * it now. So every hold of the backup ends, its holder learns why, and the next token is above
 * every earlier one. The lock is not granted before all earlier leases must have expired, nor
 * before the end of the least time for which a released hold keeps it. Waiters are removed. A
 * freeze remains. The rev is above every one that the lock had.
 */
export function restoredLock(
  record: LockRecord,
  { epoch, now, grantsFrom, aheadMs = 0, by, reason }: Restore,
): Pick<Decision<null>, 'events'> & { next: LockRecord } {
  const policy = { queueLimit: 0, lockDelayMs: 0 };
  const noProcess = { process: '', isAlive: () => false, callerOf: () => null, storedAnswer: null };
  const context = { now, epoch, policy, ...noProcess };
  const rev = Math.max(record.rev, sinceEra(now));
  const queue = record.queue.map((waiter) => ({ ...waiter, detachedUntil: null }));
  const draft = new Draft({ ...record, rev, queue }, { verb: 'expireAndPromote' }, context);
  const kept = record.holds.filter(isReleased).map(({ expiresAt }) => expiresAt);
  const delays = [record.delayedUntil, ...kept].map((at) => moved(at, now, aheadMs));
  draft.change({
    delayedUntil: Math.max(grantsFrom, ...delays),
    answersUntil: moved(draft.record.answersUntil ?? 0, now, aheadMs),
  });
  expireAndPromote(draft);
  for (const hold of draft.record.holds) endHold(draft, hold, 'forced', { why: { by, reason } });
  draft.change({ lastToken: restoredToken(record.lastToken, epoch, now) });
  const { next, events } = draft.finish(null);
  return { next: next ?? draft.record, events };
}

/** A lock whose holds and delay end by this instant at the latest. */
export function endingBy(latest: number, record: LockRecord): LockRecord {
  const holds = record.holds.map((hold) => {
    return hold.expiresAt > latest ? { ...hold, expiresAt: latest } : hold;
  });
  return { ...record, holds, delayedUntil: Math.min(record.delayedUntil, latest) };
}

/**
 * A restored counter: the backup's value and bounds, with a rev above every earlier one.
 *
 * @param aheadMs as in `Restore`
 */
export function restoredCounter(record: CounterRecord, now: number, aheadMs = 0): CounterRecord {
  const answersUntil = moved(record.answersUntil, now, aheadMs);
  return { ...record, rev: Math.max(record.rev, sinceEra(now)) + 1, answersUntil };
}

/** An instant that is still ahead at `now`, on a clock that is ahead of the former one. */
const moved = (at: number, now: number, aheadMs: number) => (at > now ? at + aheadMs : at);
