import { MINUTE_MS } from '../../core/statistics/minute-rollup';
import { addRefusals, type RefusalCounts } from '../../core/statistics/refusal-counts';

/** Of more locks than these, the ones that were refused longest ago are forgotten. */
const LOCKS_MAX = 20_000;

/** What a process counted so long ago changes no more: it has written all of it, or is gone. */
const OPEN_MAX_MS = 60 * MINUTE_MS;

/** What one process has counted of a lock in one minute. */
export interface RefusalPart {
  process: string;
  minute: number;
  counts: RefusalCounts;
}

interface KnownLock {
  /**
   * The parts of the last two minutes, and the last one of each process, which may change as long
   * as no later one is known: a process may be cut off in the middle of a minute. By process and
   * minute.
   */
  open: Map<string, RefusalPart>;
  /** The sum of earlier parts, as long as the lock is refused during the same hold. */
  earlier: RefusalCounts | null;
  /** By process: its parts up to this minute have been added to `earlier`, or dropped. */
  closedTo: Map<string, number>;
  sum: RefusalCounts;
}

/**
 * The refused attempts on each lock, at all processes that share the control database: those of the
 * last two minutes, and before them those during the same hold, for as long as this process runs
 * or, if it has just started, of the last hour.
 */
export class KnownRefusals {
  /** By the id of a lock's row; what was refused last is last. */
  private readonly locks = new Map<string, KnownLock>();

  /** @param id of its row */
  of(id: string): RefusalCounts | null {
    return this.locks.get(id)?.sum ?? null;
  }

  /** Adds a part, or replaces it by a later state of it. False: it was known as it is. */
  put(id: string, part: RefusalPart): boolean {
    const lock = this.locks.get(id) ?? newLock(part);
    const place = `${part.process}/${part.minute}`;
    const isKnown = lock.open.get(place)?.counts.all.attempts === part.counts.all.attempts;
    const isClosed = part.minute <= (lock.closedTo.get(part.process) ?? 0);
    if (isKnown || isClosed) return false;
    lock.open.set(place, part);
    closeAndAddUp(lock);
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

function newLock({ counts }: RefusalPart): KnownLock {
  return { open: new Map(), earlier: null, closedTo: new Map(), sum: counts };
}

/** Moves parts that are no longer open into the sum of the present hold, or out, and adds up. */
function closeAndAddUp(lock: KnownLock): void {
  const parts = [...lock.open];
  const last = Math.max(...parts.map(([, { minute }]) => minute));
  const token = Math.max(...parts.map(([, { counts }]) => counts.all.token));
  const isRecent = ({ minute }: RefusalPart) => minute >= last - MINUTE_MS;
  // Without a token nothing says during which hold it was.
  const isOfHold = ({ counts: { all } }: RefusalPart) => all.token === token && token > 0;
  const lastOf = new Map<string, number>();
  for (const [, { process, minute }] of parts) {
    lastOf.set(process, Math.max(minute, lastOf.get(process) ?? 0));
  }
  if (lock.earlier && lock.earlier.all.token < token) lock.earlier = null;
  for (const [place, part] of parts) {
    const { process, minute, counts } = part;
    const mayChange = minute === lastOf.get(process) && minute >= last - OPEN_MAX_MS;
    if (isRecent(part) || mayChange) continue;
    lock.open.delete(place);
    lock.closedTo.set(process, Math.max(minute, lock.closedTo.get(process) ?? 0));
    if (isOfHold(part)) lock.earlier = plus(lock.earlier, counts);
  }
  let sum = lock.earlier;
  for (const part of lock.open.values()) {
    if (isRecent(part) || isOfHold(part)) sum = plus(sum, part.counts);
  }
  if (sum) lock.sum = sum;
}

const plus = (sum: RefusalCounts | null, counts: RefusalCounts) =>
  sum ? addRefusals(sum, counts) : counts;
