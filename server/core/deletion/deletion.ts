import type { CounterRecord } from '../counter/counter-record';
import { ANSWERS_MAX_MS } from '../decision';
import { startsAboveFrom } from '../fencing-token';
import { isReleased, type LockRecord, liveHolds } from '../lock/lock-record';
import { DAY_MS, HOUR_MS } from '../time-units';

/** Why a record is not deleted, in the order in which the reasons are checked. */
export const RETENTION_REASONS = [
  'held',
  'waitedFor',
  'frozen',
  'delayed',
  'lostLately',
  'answersKept',
  'tokensAhead',
  'unreadable',
] as const;

export type RetentionReason = (typeof RETENTION_REASONS)[number];

const RETENTION_LABELS: Record<RetentionReason, string> = {
  held: 'held',
  waitedFor: 'has waiters',
  frozen: 'frozen',
  delayed: 'grants are paused',
  lostLately: 'hold lost within the last hour',
  answersKept: 'answer to a recent request still stored',
  tokensAhead: 'a new lock could repeat its tokens (used in the last 10 minutes, or very often)',
  unreadable: 'record cannot be read',
};

/** The labels that differ for counters. */
const COUNTER_LABELS: Partial<typeof RETENTION_LABELS> = {
  tokensAhead: 'a new counter could repeat its revs (used in the last 10 minutes, or very often)',
};

/** Why a record cannot be deleted, in words. */
export function retentionLabel(reason: RetentionReason, kind: 'lock' | 'counter'): string {
  return (kind === 'counter' && COUNTER_LABELS[reason]) || RETENTION_LABELS[reason];
}

/** How long a lock is kept after a hold was lost, so that its holder can learn how. */
const LOST_RETENTION_MS = HOUR_MS;

/** How long a free lock is kept while its namespace has room, and once it is over half full. */
export const IDLE_MS = 30 * DAY_MS;
export const IDLE_WHERE_FILLING_MS = 5 * 60_000;

/** Whether and when a record may be deleted. */
export interface Deletion {
  /** Null: nothing prevents its deletion at `now`. */
  keptBecause: RetentionReason | null;
  /**
   * The instant that the backend's clock must have reached. It depends on the record alone, so the
   * store can check it in the step that deletes exactly this rev. Infinity: never this rev.
   */
  notBefore: number;
}

type Obstacle = [why: RetentionReason, until: number];

/**
 * Whether a lock may be deleted, by maintenance or by an operator.
 *
 * Guarantee: once a store whose clock has reached `notBefore` has deleted exactly this rev, every
 * token and rev of a later lock of that name is above all of this one's, unless that clock steps
 * back by `DELETION_MARGIN_MS` or more; the lock has no holder and no waiter, and every stored
 * answer about it has expired.
 *
 * @param epoch of the backend
 * @param now the backend's clock, epoch milliseconds
 */
export function lockDeletion(record: LockRecord, epoch: number, now: number): Deletion {
  const { rev, lastToken, holds, offers, ended, queue, frozen, delayedUntil } = record;
  const answersUntil = record.answersUntil ?? lastUsedAt(record) + ANSWERS_MAX_MS;
  const isLost = ended?.cause === 'expired' || ended?.cause === 'forced';
  const lostAt = Math.max(
    isLost ? ended.at : Number.NEGATIVE_INFINITY,
    ...holds.filter((hold) => !isReleased(hold)).map(({ expiresAt }) => expiresAt),
  );
  const isAnyLive = liveHolds(record, now).length > 0;
  return firstOf(now, [
    ['held', isAnyLive ? Number.POSITIVE_INFINITY : 0],
    ['waitedFor', queue.length + offers.length > 0 ? Number.POSITIVE_INFINITY : 0],
    ['frozen', frozen ? Number.POSITIVE_INFINITY : 0],
    ['delayed', delayedUntil],
    ['lostLately', lostAt + LOST_RETENTION_MS],
    ['answersKept', Math.max(answersUntil, ...record.departed.map(({ until }) => until))],
    ['tokensAhead', startsAboveFrom(rev, lastToken, epoch)],
  ]);
}

/** Whether a counter may be deleted: by an operator only, never for being idle. */
export function counterDeletion(record: CounterRecord, now: number): Deletion {
  return firstOf(now, [
    ['answersKept', record.answersUntil],
    ['tokensAhead', startsAboveFrom(record.rev, 0, 0)],
  ]);
}

/** When a free lock was last held, as far as its record shows; 0: never. */
export function lastUsedAt({ holds, ended }: LockRecord): number {
  return Math.max(0, ended?.at ?? 0, ...holds.map(({ expiresAt }) => expiresAt));
}

function firstOf(now: number, obstacles: Obstacle[]): Deletion {
  const first = obstacles.find(([, until]) => until > now);
  const notBefore = Math.max(0, ...obstacles.map(([, until]) => until));
  return { keptBecause: first?.[0] ?? null, notBefore };
}
