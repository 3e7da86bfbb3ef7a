import type { Expectation, Memo, MemoExtension } from '../domain/decision';
import type { RecordEvent } from '../domain/record-event';

/** Which record: the store knows no more of it than this. A lock and a counter of one name are two records. */
export interface RecordKey {
  namespace: string;
  name: string;
  /** Absent: a lock. */
  kind?: 'counter';
}

/** A record as the store keeps it. `head` and `queue` are opaque text to the store: see `record-codec.ts`. */
export interface StoredRecord {
  /** Where what stands there is no whole number that is exact, some number that is not. */
  rev: number;
  /** Who wrote this rev: random, different for every swap. */
  writer: string;
  head: string;
  queue: string;
}

export interface ReadRecord {
  key: RecordKey;
  /** Null: never written. */
  record: StoredRecord | null;
  /** The clock of the node that keeps this record, epoch milliseconds, read with it. */
  now: number;
}

export interface ReadResult {
  /** In the order asked for. */
  records: ReadRecord[];
  /** Those of the answers asked for that are kept; one that has lapsed may be among them or not. */
  memos: Memo[];
}

/** One record's change. It takes if the record is still the one that is expected, and the clock is where it was taken to be. */
export interface Change {
  key: RecordKey;
  /** Null: still never written. A change that expects a record never creates one. */
  expect: { rev: number; writer: string } | null;
  clock: Expectation;
  /** The backend's epoch as it was decided in: a store that has lost its memory since lets it not take. Absent: any. */
  epoch?: number;
  writer: string;
  rev: number;
  head: string;
  /** Null: unchanged. */
  queue: string | null;
  /** Written by the same atomic step, and only if the change took. */
  events: RecordEvent[];
  memos: Memo[];
  extensions: MemoExtension[];
}

export interface SwapResult {
  took: boolean;
  /** The store's clock at or after the swap, epoch milliseconds. */
  now: number;
  /** The record as it stands after the swap; null if there is none. Tells who won, and whether an earlier try had landed. */
  current: { rev: number; writer: string } | null;
  /** It is more than the store takes at once, and can never take. It is refused alone: the others of its swap are not. */
  isTooLarge?: true;
}

/** A record that is to be deleted, as it was read. */
export interface Obsolete {
  key: RecordKey;
  rev: number;
  writer: string;
  /** The store's clock must have reached this instant. Absent: whenever. */
  notBefore?: number;
}

export interface Cursor {
  /** Only the locks of this namespace; null for all records. */
  namespace: string | null;
  /** Records after this one; null from the first. */
  after: RecordKey | null;
}

export interface Page {
  records: ReadRecord[];
  /** Where the next page begins; null at the end. */
  next: Cursor | null;
}

/** What a store, as configured at this moment, can promise. */
export interface Guarantees {
  /**
   * - `Strong`: every promise holds through a crash of the store at any instant.
   * - `Timed`: they hold as long as a stated assumption about clocks or delays does.
   * - `Best-effort`: some crash or fail-over may break one; the reasons say which.
   */
  level: 'Strong' | 'Timed' | 'Best-effort';
  /** Whole sentences, the weightiest first: why it is this level and no better. */
  reasons: string[];
  /** What was read of the store to tell, in the store's own words. */
  settings: StoreSetting[];
  /** Why locks kept so may be granted twice, as one sentence; null where that is not so. Not served unless told otherwise. */
  unsafe: string | null;
  /** It is unsafe, and `LOCKYARD_ALLOW_UNSAFE` does not cover it. */
  isNeverAllowed?: boolean;
  /** Nothing can be asked of it at all: holds do not go on either. */
  servesNothing?: boolean;
}

/** One setting of a store, such as `innodb_flush_log_at_trx_commit` = `1`. */
export interface StoreSetting {
  name: string;
  value: string;
  /** What is wrong with this value, as a short sentence; null where it is as it should be. */
  complaint: string | null;
}

/**
 * A dumb versioned store: it knows records and revs, neither locks nor counters. All meaning is in `server/domain`.
 *
 * Guarantees: each change of a swap is atomic on its own, with its history and remembered answers; whether one took is
 * told by rev *and* writer read back; deadlines are tested on the store's own clock in the same atomic step, after any
 * wait for a row. Names are compared byte by byte.
 *
 * Errors: `StoreError`, whose `applied` says what is known about a swap's effect. Never resends anything by itself.
 */
export interface RecordStore {
  /** Records (null = never written), each with its own store's clock, and the answers kept for the request ids asked about. */
  read(keys: RecordKey[], requestKeys: string[]): Promise<ReadResult>;
  /** Writes each change if what it expects still holds; says change by change, in order, which took. At most one change a record. */
  swap(changes: Change[]): Promise<SwapResult[]>;
  /**
   * The same for changes that belong together: all take, in one atomic step with all of their history and answers, or
   * none does and nothing of them remains. Every result says the same of `took`, and of `isTooLarge`, which is said of all together.
   */
  swapAll(changes: Change[]): Promise<SwapResult[]>;
  /** Records in key order, for the board and for healing it. */
  scan(cursor: Cursor, limit: number): Promise<Page>;
  /**
   * Deletes records, each only if it is still at this rev by this writer and the store's clock has come far enough, which is
   * tested in the step that deletes; says of each, in order, whether it was deleted. Removes answers that have lapsed, too.
   */
  forget(records: Obsolete[]): Promise<boolean[]>;
  guarantees(): Promise<Guarantees>;
  close(): Promise<void>;
  /** Rises when the store has seen its settings change for the worse or the better: they should be read now. */
  readonly settingsRev?: number;
  /** True where a call costs what its records cost and little more, so that two small ones are no dearer than a large one. */
  readonly paysByRecord?: boolean;
  /** What it tells of its clock is a lower bound, but for a change that took; elsewhere it is a reading of the call's time. */
  readonly estimatesClock?: boolean;
}

/** A store that keeps its history where its records are. */
export interface HistorySource {
  /** Flushes after `position` in id order, at most `limit`. */
  historyAfter(position: number, limit: number): Promise<HistoryRow[]>;
  /** Those of these flushes that exist by now. */
  historyOf(ids: number[]): Promise<HistoryRow[]>;
  /** The newest id, or 0. */
  historyEnd(): Promise<number>;
  /** Removes flushes up to `position` that are older than `before`, a few at a time; says how many. */
  pruneHistory(position: number, before: number): Promise<number>;
}

/** One flush as written: the events of those changes that took. */
export interface HistoryRow {
  id: number;
  at: number;
  changes: { key: RecordKey; rev: number; events: RecordEvent[] }[];
}

/** A store that failed. `applied`: `no` if nothing of the call can have been applied, `unknown` otherwise. */
export class StoreError extends Error {
  override readonly name = 'StoreError';

  constructor(
    message: string,
    readonly applied: 'no' | 'unknown',
    options: { cause?: unknown; retryable?: boolean; refusal?: string | null } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryable = options.retryable ?? false;
    this.refusal = options.refusal ?? null;
  }

  /** Why the store itself refuses, in whole sentences for callers; null where it did not say. */
  readonly refusal: string | null;

  /** Rolled back for a passing reason, such as a deadlock: the same call may simply be made again. */
  readonly retryable: boolean;
}
