import { MINUTE_MS } from '../../core/statistics/minute-rollup';
import { addRefusals, type RefusalCounts } from '../../core/statistics/refusal-counts';

/** Of more locks than these, the ones that were refused longest ago are forgotten. */
const LOCKS_MAX = 20_000;

/** What one process has counted of a lock in one minute. */
export interface RefusalPart {
  process: string;
  minute: number;
  counts: RefusalCounts;
}

interface KnownLock {
  /** The parts of the last two minutes, by process and minute. */
  recent: Map<string, RefusalPart>;
  /** The sum of earlier parts, as long as the lock is refused during the same hold. */
  earlier: RefusalCounts | null;
  /** Parts up to this minute have been added to `earlier`, or dropped. */
  earlierTo: number;
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
    const isKnown = lock.recent.get(place)?.counts.all.attempts === part.counts.all.attempts;
    if (isKnown || part.minute <= lock.earlierTo) return false;
    lock.recent.set(place, part);
    settleEarlier(lock);
    lock.sum = sumOf(lock);
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
  return { recent: new Map(), earlier: null, earlierTo: 0, sum: counts };
}

/** Moves parts that are no longer recent: into the sum of the present hold, or out. */
function settleEarlier(lock: KnownLock): void {
  const parts = [...lock.recent];
  const last = Math.max(...parts.map(([, { minute }]) => minute));
  const token = Math.max(...parts.map(([, { counts }]) => counts.all.token));
  if (lock.earlier && lock.earlier.all.token < token) lock.earlier = null;
  for (const [place, { minute, counts }] of parts) {
    if (minute >= last - MINUTE_MS) continue;
    lock.recent.delete(place);
    lock.earlierTo = Math.max(lock.earlierTo, minute);
    // Without a token nothing says during which hold it was.
    if (counts.all.token < token || token === 0) continue;
    lock.earlier = lock.earlier ? addRefusals(lock.earlier, counts) : counts;
  }
}

function sumOf({ earlier, recent, sum }: KnownLock): RefusalCounts {
  const all = [...recent.values()].map(({ counts }) => counts);
  const [first = sum, ...others] = earlier ? [earlier, ...all] : all;
  return others.reduce(addRefusals, first);
}
