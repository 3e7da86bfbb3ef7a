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

/** The most locks in one minute; of more, only the sums over their namespaces are counted. */
const LOCKS_MAX = 20_000;

/** With more locks than this, fewer owners of each are counted, which bounds memory. */
const LOCKS_WITH_MANY_OWNERS = 2_000;

/** The refused attempts of one minute on one lock, or on all locks of a backend together. */
export interface CountedMinute {
  backend: string;
  /** Empty: all locks of the backend. */
  lockId: string;
  /** The id of the lock's row; null for all locks. */
  rowId: string | null;
  minute: number;
  /** The attempts of this minute so far. */
  attempts: number;
  counts(): RefusalCounts | null;
}

/** Attempts and checks of tokens that were refused since the start of this process. */
export interface RefusalTotal {
  backend: string;
  namespace: string;
  attempts: number;
  tokens: number;
}

interface Attempt {
  backend: string;
  key: RecordKey;
  caller: { service: string; owner: string };
  token: number;
  at: number;
}

/**
 * Counts the attempts that this process has refused. An attempt is noted when it is answered and
 * counted later, so that the answers of a crowded lock do not wait for their counts.
 */
export class RefusalCounter {
  private readonly backends = new Map<string, CountedBackend>();
  /** Locks of all backends. */
  private lockCount = 0;
  /** The minute in which there were too many locks and no earlier one could be forgotten. */
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

  /** Counts a check of a token that was answered `valid: false`. @param backend its public id */
  noteToken(backend: string, namespace: string): void {
    this.backendOf(backend).namespaceOf(namespace).tokens += 1;
  }

  /** The minutes that changed since the last call; they can change further until they are read. */
  takeChanged(): readonly CountedMinute[] {
    this.countNoted();
    const { changed } = this;
    this.changed = [];
    for (const counted of changed) counted.isChanged = false;
    return changed;
  }

  *totals(): Generator<RefusalTotal> {
    this.countNoted();
    for (const { namespaces } of this.backends.values()) yield* namespaces.values();
  }

  private countNoted(): void {
    const { noted } = this;
    this.noted = [];
    for (const attempt of noted) this.count(attempt);
  }

  private count({ backend, key, caller, token, at }: Attempt): void {
    const minute = minuteOf({ at });
    const ofBackend = this.backendOf(backend);
    const counted = ofBackend.countIn(minute, at);
    const namespace = ofBackend.namespaceOf(key.namespace);
    namespace.attempts += 1;
    this.noteChange(counted);
    const known = namespace.locks.get(key.name);
    const isCurrent = known !== undefined && isCountedIn(known, minute);
    const lock = isCurrent ? known : this.begin(namespace, key, minute);
    if (!lock) return;
    lock.note(caller, token, at);
    this.noteChange(lock);
  }

  /** Begins to count a lock in a minute. Null: too many locks are counted in it. */
  private begin(
    { backend, locks }: CountedNamespace,
    key: RecordKey,
    minute: number,
  ): LockMinute | null {
    if (!locks.has(key.name)) {
      if (this.lockCount >= LOCKS_MAX && !this.dropEnded(minute)) return null;
      this.lockCount += 1;
    }
    const hasRoom = this.lockCount <= LOCKS_WITH_MANY_OWNERS;
    const tally = new RefusalTally(hasRoom ? COUNTED_OWNERS_MAX : COUNTED_OWNERS_MIN);
    const lock = new LockMinute(backend, recordId(key), minute, tally);
    locks.set(key.name, lock);
    return lock;
  }

  /** Forgets locks that were last refused before this minute. False: there were none. */
  private dropEnded(minute: number): boolean {
    if (isCountedIn({ minute: this.fullIn }, minute)) return false;
    const before = this.lockCount;
    for (const { namespaces } of this.backends.values()) {
      for (const { locks } of namespaces.values()) {
        for (const [name, lock] of locks) {
          if (lock.minute < minute && locks.delete(name)) this.lockCount -= 1;
        }
      }
    }
    if (this.lockCount === before) this.fullIn = minute;
    return this.lockCount < before;
  }

  private backendOf(id: string): CountedBackend {
    const known = this.backends.get(id);
    if (known) return known;
    const backend = new CountedBackend(id);
    this.backends.set(id, backend);
    return backend;
  }

  private noteChange(counted: Changing): void {
    if (counted.isChanged) return;
    counted.isChanged = true;
    this.changed.push(counted);
  }
}

/**
 * Whether an attempt of a minute is counted with `counted`. The clocks of two shards differ, and
 * one may be set back: a minute that was begun a second time would replace its earlier counts.
 */
const isCountedIn = (counted: Pick<CountedMinute, 'minute'>, minute: number): boolean =>
  counted.minute >= minute;

/**
 * Runs `work` after the next turn of the event loop, in which the calls that follow these answers
 * are sent to the store.
 */
function afterNextTurn(work: () => void): void {
  setImmediate(() => setImmediate(work));
}

/** A minute that is listed for writing with its first change. */
interface Changing extends CountedMinute {
  /** Whether it has changed since the last `takeChanged`. */
  isChanged: boolean;
}

interface CountedNamespace extends RefusalTotal {
  /** By name, each with its latest minute. */
  readonly locks: Map<string, LockMinute>;
}

class CountedBackend {
  readonly namespaces = new Map<string, CountedNamespace>();
  private latest: BackendMinute | null = null;

  constructor(private readonly id: string) {}

  /** Counts an attempt on one of its locks, and returns the minute to which it belongs. */
  countIn(minute: number, at: number): BackendMinute {
    const { latest } = this;
    const counted =
      latest && isCountedIn(latest, minute) ? latest : new BackendMinute(this.id, minute);
    this.latest = counted;
    counted.note(at);
    return counted;
  }

  namespaceOf(name: string): CountedNamespace {
    const known = this.namespaces.get(name);
    if (known) return known;
    const counts = { attempts: 0, tokens: 0 };
    const namespace = { backend: this.id, namespace: name, ...counts, locks: new Map() };
    this.namespaces.set(name, namespace);
    return namespace;
  }
}

class LockMinute implements Changing {
  readonly rowId: string;
  attempts = 0;
  isChanged = false;

  constructor(
    readonly backend: string,
    readonly lockId: string,
    readonly minute: number,
    private readonly tally: RefusalTally,
  ) {
    this.rowId = rowId(backend, lockId);
  }

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
