import { addRefusals, type RefusalCounts } from '../../core/statistics/refusal-counts';
import { HOUR_MS, MINUTE_MS } from '../../core/time-units';

/** The most locks; of more, those that were refused longest ago are forgotten. */
const LOCKS_MAX = 20_000;

/** Counts this old no longer change: their process has written all of them, or is gone. */
const OPEN_MAX_MS = HOUR_MS;

/** What one process had counted for a lock in one minute when it was written. */
export interface RefusalPart {
  process: string;
  minute: number;
  counts: RefusalCounts;
}

/** What one process has counted for a lock in one minute, which can still grow. */
export interface OpenRefusalPart {
  process: string;
  minute: number;
  /** Attempts so far. A part whose number differs is a later state of the same part. */
  attempts: number;
  /** The counts of this state or a later one; null: none. Called when the sum is needed. */
  counts(): RefusalCounts | null;
}

export function writtenPart({ process, minute, counts }: RefusalPart): OpenRefusalPart {
  return { process, minute, attempts: counts.all.attempts, counts: () => counts };
}

interface KnownLock {
  /**
   * Parts that may still change: those of the last two minutes, and the last part of each process,
   * since a process may lose its connection in the middle of a minute.
   */
  open: OpenRefusalPart[];
  /** The sum of earlier parts, as long as the lock is refused during the same hold. */
  earlier: RefusalCounts | null;
  /** By process: its parts up to this minute have been added to `earlier`, or dropped. */
  closedTo: Map<string, number> | null;
  /** Null: it has to be computed. */
  sum: RefusalCounts | null;
}

/**
 * The refused attempts on each lock, at all processes that share the control database: those of the
 * last two minutes, and earlier ones during the same hold. Covers the time since this process
 * began, and the hour before that.
 */
export class KnownRefusals {
  /** By the id of a lock's row, in the order of the last refusals. */
  private readonly locks = new Map<string, KnownLock>();

  /** The refused attempts on a lock; null: none are known. @param id of its row */
  of(id: string): RefusalCounts | null {
    const lock = this.locks.get(id);
    if (!lock) return null;
    lock.sum ??= closeAndAddUp(lock);
    return lock.sum;
  }

  /** Adds a part, or replaces it by a later state of it. False if nothing has changed. */
  put(id: string, part: OpenRefusalPart): boolean {
    const { process, minute, attempts } = part;
    const lock = this.locks.get(id) ?? newLock();
    const at = lock.open.findIndex((one) => one.process === process && one.minute === minute);
    const isKnown = lock.open[at]?.attempts === attempts;
    const isClosed = minute <= (lock.closedTo?.get(process) ?? 0);
    if (isKnown || isClosed) return false;
    if (at < 0) lock.open.push(part);
    else lock.open[at] = part;
    // Most are replaced several times before the sum is needed.
    lock.sum = at < 0 && lock.open.length > 1 ? closeAndAddUp(lock) : null;
    this.locks.delete(id);
    this.locks.set(id, lock);
    if (this.locks.size > LOCKS_MAX) this.removeOldest();
    return true;
  }

  remove(id: string): void {
    this.locks.delete(id);
  }

  private removeOldest(): void {
    const [oldest] = this.locks.keys();
    if (oldest !== undefined) this.locks.delete(oldest);
  }
}

function newLock(): KnownLock {
  return { open: [], earlier: null, closedTo: null, sum: null };
}

/**
 * Adds parts that no longer change to the sum of the present hold, or drops them, and returns the
 * whole sum.
 */
function closeAndAddUp(lock: KnownLock): RefusalCounts | null {
  const parts = lock.open.map((part) => ({ part, counts: part.counts() }));
  const last = Math.max(...lock.open.map(({ minute }) => minute));
  const token = Math.max(...parts.map(({ counts }) => counts?.all.token ?? 0));
  const isRecent = ({ minute }: OpenRefusalPart) => minute >= last - MINUTE_MS;
  // A count without a token cannot be attributed to a hold.
  const isOfHold = (counts: RefusalCounts | null) => counts?.all.token === token && token > 0;
  const lastOf = new Map<string, number>();
  for (const { process, minute } of lock.open) {
    lastOf.set(process, Math.max(minute, lastOf.get(process) ?? 0));
  }
  if (lock.earlier && lock.earlier.all.token < token) lock.earlier = null;
  const kept = parts.filter(({ part, counts }) => {
    const { process, minute } = part;
    const mayChange = minute === lastOf.get(process) && minute >= last - OPEN_MAX_MS;
    if (isRecent(part) || mayChange) return true;
    lock.closedTo ??= new Map();
    lock.closedTo.set(process, Math.max(minute, lock.closedTo.get(process) ?? 0));
    if (isOfHold(counts)) lock.earlier = plus(lock.earlier, counts);
    return false;
  });
  lock.open = kept.map(({ part }) => part);
  let sum = lock.earlier;
  for (const { part, counts } of kept) {
    if (isRecent(part) || isOfHold(counts)) sum = plus(sum, counts);
  }
  return sum;
}

function plus(one: RefusalCounts | null, other: RefusalCounts | null): RefusalCounts | null {
  return one && other ? addRefusals(one, other) : (one ?? other);
}
