import type { Expectation, IdempotencyExtension, IdempotencyRecord } from '../core/decision';
import type { RecordEvent } from '../core/record-event';
import type { EventTexts } from './codec/event-codec';

/** Identifies a record in a store. A lock and a counter of one name are two records. */
export interface RecordKey {
  namespace: string;
  name: string;
  /** Absent: a lock. */
  kind?: 'counter';
}

/** A record as the store keeps it, to which `head` and `queue` are opaque: `record-codec.ts`. */
export interface StoredRecord {
  /** Not an exact whole number if the stored value is none: then the record is unreadable. */
  rev: number;
  /** The writer of this rev: random, different for every swap. */
  writer: string;
  head: string;
  queue: string;
}

export interface ReadRecord {
  key: RecordKey;
  /** Null: never written. */
  record: StoredRecord | null;
  /** The clock of the node that stores this record, epoch milliseconds, read with the record. */
  now: number;
}

export interface ReadResult {
  /** In the order asked for. */
  records: ReadRecord[];
  /** The requested answers that are stored; expired ones may or may not be included. */
  storedAnswers: IdempotencyRecord[];
}

/** A change of one record: applied if the record is as expected and the clock in the window. */
export interface Change {
  key: RecordKey;
  /** Null: no record may exist yet. A change that expects a record never creates one. */
  expect: { rev: number; writer: string } | null;
  clock: Expectation;
  /** The backend's epoch at the decision; a store that lost data since refuses. Absent: any. */
  epoch?: number;
  writer: string;
  rev: number;
  head: string;
  /** Null: unchanged. */
  queue: string | null;
  /** Written in the same atomic step, and only if the change is applied. */
  events: RecordEvent[];
  /** Their texts. Absent: not encoded yet. */
  eventTexts?: EventTexts | undefined;
  storedAnswers: IdempotencyRecord[];
  extensions: IdempotencyExtension[];
  /**
   * Requests that must have no stored answer: if one has, the change is not applied, whether or not
   * it expects a record. It is enough to test the record that the change expects, since answers to
   * requests about a record are stored only by changes of it. Only where the store `testsAnswers`,
   * and not together with others in `swapAll`.
   */
  unanswered?: string[];
}

export interface SwapResult {
  applied: boolean;
  /**
   * The store's clock at or after the swap, epoch milliseconds. Where the store `estimatesClock`,
   * and the change was not applied: a lower bound of its clock when `current` was read.
   */
  now: number;
  /**
   * The record after the swap, or null: shows which change won, also of an earlier attempt. Those
   * of several changes may be read one after another.
   */
  current: { rev: number; writer: string } | null;
  /** That record as a whole, where the change was not applied and the store has it at hand. */
  found?: StoredRecord;
  /** The commit with the events of an applied change, where the store has its id at hand. */
  historyId?: number;
  /** The change is larger than the store ever accepts. The others of its swap are not affected. */
  isTooLarge?: true;
}

/** A record to be deleted, as it was read. */
export interface ObsoleteRecord {
  key: RecordKey;
  rev: number;
  writer: string;
  /** The store's clock must have reached this instant. Absent: no condition. */
  notBefore?: number;
}

export interface Cursor {
  /** Only the locks of this namespace; null for all records. */
  namespace: string | null;
  /** Records after this one; null: from the first. */
  after: RecordKey | null;
}

export interface Page {
  records: ReadRecord[];
  /** Where the next page starts; null at the end. */
  next: Cursor | null;
}

/** What a store, as configured now, can promise. */
export interface Guarantees {
  /**
   * - `Strong`: every promise holds through a crash of the store at any instant.
   * - `Timed`: they hold as long as a stated assumption about clocks or delays does.
   * - `Best-effort`: some crash or fail-over may break one; the reasons say which.
   */
  level: 'Strong' | 'Timed' | 'Best-effort';
  /** Whole sentences, the most important first: why it is this level and no better. */
  reasons: string[];
  /** The settings that were read to judge this, in the store's own words. */
  settings: StoreSetting[];
  /** Why locks in this store may be granted twice, in a sentence; null: they are not. */
  unsafe: string | null;
  /** It is unsafe, and `LOCKYARD_ALLOW_UNSAFE` does not cover it. */
  isNeverAllowed?: boolean;
  /** It can answer no request at all: existing holds cannot continue either. */
  servesNothing?: boolean;
}

/** One setting of a store, such as `innodb_flush_log_at_trx_commit` = `1`. */
export interface StoreSetting {
  name: string;
  value: string;
  /** What is wrong with this value, as a short sentence; null if nothing is. */
  complaint: string | null;
}

/**
 * A plain versioned store: it knows records and revs, neither locks nor counters. All meaning is in
 * `server/core`.
 *
 * Guarantees: each change of a swap is atomic on its own, with its history and remembered answers;
 * whether one was applied is decided by reading back rev *and* writer; deadlines are tested on the
 * store's own clock in the same atomic step, after any wait for a row. Names are compared byte by
 * byte.
 *
 * Errors: `StoreError`, whose `applied` says what is known about a swap's effect. A store never
 * resends anything.
 */
export interface RecordStore {
  /**
   * Records (null = never written) with their store's clock, and answers stored for these ids. No
   * record is newer than the answers: what a change stored is found with the record that it wrote.
   */
  read(keys: RecordKey[], requestKeys: string[]): Promise<ReadResult>;
  /**
   * Applies each change whose expectation still holds; returns for each, in order, whether it was
   * applied. At most one change per record.
   */
  swap(changes: Change[]): Promise<SwapResult[]>;
  /**
   * The same for changes that belong together: all are applied in one atomic step with their
   * history and answers, or none is and nothing of them remains. `applied` and `isTooLarge` are the
   * same in every result, and concern all of them together.
   */
  swapAll(changes: Change[]): Promise<SwapResult[]>;
  /** Records in key order, for the projection and for repairing it. */
  scan(cursor: Cursor, limit: number): Promise<Page>;
  /**
   * Deletes records, each only if it is still at this rev by this writer and the store's clock has
   * reached `notBefore`, which is tested in the step that deletes; returns for each, in order,
   * whether it was deleted.
   */
  deleteRecords(records: ObsoleteRecord[]): Promise<boolean[]>;
  /** Removes the stored answers that have expired; does nothing where the store itself does so. */
  deleteExpiredAnswers(): Promise<void>;
  guarantees(): Promise<Guarantees>;
  close(): Promise<void>;
  /** Rises when the store has noticed a change of its settings: then read `guarantees` again. */
  readonly settingsRev?: number;
  /** Whether a call costs hardly more than its records do, so that splitting it costs little. */
  readonly costsPerRecord?: boolean;
  /** Whether this process does the store's work itself; then calls only wait for the disk. */
  readonly isEmbedded?: boolean;
  /** Whether the clock it reports is only a lower bound, except for an applied change. */
  readonly estimatesClock?: boolean;
  /** Whether a swap tests `unanswered`; elsewhere stored answers must be read before. */
  readonly testsAnswers?: boolean;
}

/**
 * A store that keeps its history with its records. A commit that was overwritten by another program
 * is `isUnreadable`, and does not fail the read of others.
 */
export interface HistorySource {
  /** Commits after `position` in id order, at most `limit`. */
  historyAfter(position: number, limit: number): Promise<HistoryRow[]>;
  /** Those of the commits with these ids that exist by now. */
  historyOf(ids: number[]): Promise<HistoryRow[]>;
  /** The newest id, or 0. */
  historyEnd(): Promise<number>;
  /**
   * Examines a batch of the oldest commits and removes those up to `position` and older than
   * `before`; returns how many. Returns 0 if none of the batch is that old, even if a later one is.
   */
  pruneHistory(position: number, before: number): Promise<number>;
}

/** One commit as written: the events of its applied changes. */
export interface HistoryRow {
  id: number;
  at: number;
  changes: Pick<Change, 'key' | 'rev' | 'events' | 'eventTexts'>[];
  /** No version of Lockyard wrote what is stored: there are no `changes`, and `at` may be NaN. */
  isUnreadable?: true;
}

/** A store that failed. `applied`: `no` if certainly nothing was applied, else `unknown`. */
export class StoreError extends Error {
  override readonly name = 'StoreError';

  constructor(
    message: string,
    readonly applied: 'no' | 'unknown',
    options: {
      cause?: unknown;
      retryable?: boolean;
      isRowLocked?: boolean;
      refusal?: string | null;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryable = options.retryable ?? false;
    this.isRowLocked = options.isRowLocked ?? false;
    this.refusal = options.refusal ?? null;
  }

  /** Why the store itself refuses, in whole sentences for callers; null if it gave no reason. */
  readonly refusal: string | null;

  /** Rolled back for a transient reason, such as a deadlock: the same call may be made again. */
  readonly retryable: boolean;

  /** Rolled back since another transaction kept a record locked: others can proceed without it. */
  readonly isRowLocked: boolean;
}
