import { minuteOf } from '../../core/statistics/minute-rollup';
import type { RefusalCounts } from '../../core/statistics/refusal-counts';
import {
  COUNTED_OWNERS_MAX,
  COUNTED_OWNERS_MIN,
  RefusalTally,
} from '../../core/statistics/refusal-tally';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import { rowId } from '../projection/projection-row';

/** Of more locks than these in one minute, only the sums over their namespaces are counted. */
const LOCKS_MAX = 20_000;

/** Of more locks than these, fewer owners of each are counted: memory is bounded for all. */
const LOCKS_WITH_MANY_OWNERS = 2_000;

/** The refused attempts of one minute on one lock, or on all locks of a backend together. */
export interface CountedMinute {
  backend: string;
  /** Empty: all locks of the backend. */
  lockId: string;
  /** The id of the lock's row; null for all locks. */
  rowId: string | null;
  minute: number;
  /** So far. */
  attempts: number;
  counts(): RefusalCounts | null;
}

/** Attempts since the start of this process. */
export interface RefusalTotal {
  backend: string;
  namespace: string;
  attempts: number;
}

interface Attempt {
  backend: string;
  key: RecordKey;
  caller: { service: string; owner: string };
  token: number;
  at: number;
}

/**
 * Counts the attempts that this process has refused. An attempt is noted with its answer and
 * counted after it, so that the answers of a crowded lock do not wait for their counts.
 */
export class RefusalCounter {
  private readonly locks = new Map<string, LockMinute>();
  private readonly backends = new Map<string, BackendMinute>();
  private readonly byNamespace = new Map<string, RefusalTotal>();
  /** The minute in which there were too many locks, and none of an earlier one to forget. */
  private fullIn = Number.NaN;
  private changed: Changing[] = [];
  private noted: Attempt[] = [];

  /**
   * Notes an attempt that was answered `held` or `queueFull`.
   *
   * @param backend its public id
   * @param token of a hold during which it was refused; 0: unknown
   * @param at the backend's clock
   */
  note(
    backend: string,
    key: RecordKey,
    caller: { service: string; owner: string },
    token: number,
    at: number,
  ): void {
    if (this.noted.length === 0) afterNextTurn(() => this.countNoted());
    this.noted.push({ backend, key, caller, token, at });
  }

  /** What has changed since the last call; may change further until it is read. */
  takeChanged(): readonly CountedMinute[] {
    this.countNoted();
    const { changed } = this;
    this.changed = [];
    for (const counted of changed) counted.isChanged = false;
    return changed;
  }

  totals(): Iterable<RefusalTotal> {
    this.countNoted();
    return this.byNamespace.values();
  }

  private countNoted(): void {
    const { noted } = this;
    this.noted = [];
    for (const attempt of noted) this.count(attempt);
  }

  private count({ backend, key, caller, token, at }: Attempt): void {
    const minute = minuteOf({ at });
    const lockId = recordId(key);
    const id = rowId(backend, lockId);
    const known = this.locks.get(id);
    const isGoingOn = known !== undefined && isCountedIn(known, minute);
    const lock = isGoingOn ? known : this.begin(id, { backend, lockId, minute }, key.namespace);
    const total = lock?.total ?? this.totalOf(backend, key.namespace);
    total.attempts += 1;
    this.noteBackend(backend, minute, at);
    if (!lock) return;
    lock.note(caller, token, at);
    this.noteChange(lock);
  }

  /** Null: too many locks have been counted in this minute. */
  private begin(
    id: string,
    of: { backend: string; lockId: string; minute: number },
    namespace: string,
  ): LockMinute | null {
    if (!this.locks.has(id) && this.locks.size >= LOCKS_MAX && !this.dropEnded(of.minute)) {
      return null;
    }
    const total = this.totalOf(of.backend, namespace);
    const hasMuchRoom = this.locks.size < LOCKS_WITH_MANY_OWNERS;
    const tally = new RefusalTally(hasMuchRoom ? COUNTED_OWNERS_MAX : COUNTED_OWNERS_MIN);
    const lock = new LockMinute(of.backend, of.lockId, id, of.minute, total, tally);
    this.locks.set(id, lock);
    return lock;
  }

  /** Forgets locks that were last refused before this minute. False: there were none. */
  private dropEnded(minute: number): boolean {
    if (isCountedIn({ minute: this.fullIn }, minute)) return false;
    const before = this.locks.size;
    for (const [id, lock] of this.locks) if (lock.minute < minute) this.locks.delete(id);
    if (this.locks.size === before) this.fullIn = minute;
    return this.locks.size < before;
  }

  private noteBackend(backend: string, minute: number, at: number): void {
    let counted = this.backends.get(backend);
    if (!counted || !isCountedIn(counted, minute)) {
      counted = new BackendMinute(backend, minute);
      this.backends.set(backend, counted);
    }
    counted.note(at);
    this.noteChange(counted);
  }

  private noteChange(counted: Changing): void {
    if (counted.isChanged) return;
    counted.isChanged = true;
    this.changed.push(counted);
  }

  private totalOf(backend: string, namespace: string): RefusalTotal {
    const id = `${backend}/${namespace}`;
    const known = this.byNamespace.get(id);
    if (known) return known;
    const total = { backend, namespace, attempts: 0 };
    this.byNamespace.set(id, total);
    return total;
  }
}

/**
 * Whether an attempt of a minute belongs to what is being counted. The clocks of two shards differ,
 * and one may be set back: a minute that began again would replace what was counted of it.
 */
const isCountedIn = (counted: Pick<CountedMinute, 'minute'>, minute: number): boolean =>
  counted.minute >= minute;

/** In the next turn of the event loop, the calls that follow these answers go to the store. */
function afterNextTurn(work: () => void): void {
  setImmediate(() => setImmediate(work));
}

/** One that is listed with its first change. */
interface Changing extends CountedMinute {
  /** Since what has changed was last taken. */
  isChanged: boolean;
}

class LockMinute implements Changing {
  attempts = 0;
  isChanged = false;

  constructor(
    readonly backend: string,
    readonly lockId: string,
    readonly rowId: string,
    readonly minute: number,
    readonly total: RefusalTotal,
    private readonly tally: RefusalTally,
  ) {}

  note(caller: { service: string; owner: string }, token: number, at: number): void {
    this.attempts += 1;
    this.tally.note(caller, token, at);
  }

  counts(): RefusalCounts | null {
    return this.tally.counts();
  }
}

/** All locks of a backend together, without their owners. */
class BackendMinute implements Changing {
  readonly lockId = '';
  readonly rowId = null;
  attempts = 0;
  isChanged = false;
  private firstAt = Number.POSITIVE_INFINITY;
  private lastAt = 0;

  constructor(
    readonly backend: string,
    readonly minute: number,
  ) {}

  note(at: number): void {
    this.attempts += 1;
    this.firstAt = Math.min(this.firstAt, at);
    this.lastAt = Math.max(this.lastAt, at);
  }

  counts(): RefusalCounts {
    const { attempts, firstAt, lastAt } = this;
    return { all: { attempts, token: 0, firstAt, lastAt }, owners: [], others: null };
  }
}
