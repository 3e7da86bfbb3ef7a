import type { BackendHealth } from '../contract/console/backend-health';
import type { AcquireAnswer, CancelAnswer } from '../contract/lock/answers';
import type { AcquireManyAnswer } from '../contract/multi-lock';
import type { CounterAnswerOf, CounterCommand } from '../core/counter/counter-command';
import type { AcquireCommand, AnswerOf, LockCommand } from '../core/lock/lock-command';
import type { LockRecord } from '../core/lock/lock-record';
import type {
  AcquireMultiLockCommand,
  CancelMultiLockCommand,
} from '../core/multi-lock/multi-lock-command';
import type { RequestIdentity } from '../core/request-fingerprint';
import type { ReadRecord, RecordKey } from '../storage/record-store';

/** How one acquire waits within its request. */
export interface WaitOptions {
  /** How long this request is held open at most, in ms; then `queued`, and the place is kept. */
  holdRequestMs: number;
  /** Aborted when the caller hangs up: its waiter leaves, and an unreceived grant is reverted. */
  signal?: AbortSignal;
  /**
   * Aborted before `signal` when the caller is refused: only its age is kept for a repeat of its
   * request, neither a place nor a grant.
   */
  refused?: AbortSignal;
  /** Whether the caller hung up. For a call that does not wait, which checks once, at its end. */
  hasHungUp?: () => boolean;
  /** Resolves once `signal` reflects every hang-up that has reached this machine by now. */
  hangUpNoticed?: () => Promise<void>;
  /** Called each time the call gets a place in a queue. */
  onQueued?: () => void;
}

/** A lock as last read or written by this process: recent if it often works on the lock. */
export interface CachedLock {
  record: LockRecord;
  /** A lower bound of the backend's clock, in epoch ms. */
  now: number;
}

/** Commands on several locks of one namespace: see `decideMultiLock`. Errors as `LockEngine`. */
export interface MultiLocks {
  /** Acquires all or none, waiting as long as requested. Never rejects because of `signal`. */
  acquire(
    namespace: string,
    ask: AcquireMultiLockCommand,
    wait: WaitOptions,
  ): Promise<AcquireManyAnswer>;
  /** Answers an acquire that arrives after its own cancel, without acquiring anything. */
  answerCancelled(namespace: string, ask: AcquireMultiLockCommand): Promise<AcquireManyAnswer>;
  /** Undoes an acquire, whether it still waits or was granted meanwhile. */
  cancel(namespace: string, command: CancelMultiLockCommand): Promise<CancelAnswer>;
}

/**
 * Runs commands on the locks and counters of one backend: groups them, reads their records
 * together, decides, swaps all changed records in one packet, and answers after the write. Every
 * answer is true at some instant between call and return.
 *
 * Errors, all `LockyardError`: `BACKEND_DOWN` (definitely not applied), `UNKNOWN` (may have been
 * applied), `CONTENDED` (lost every race within its time budget), and the refusals of `decide`.
 * Answers take at most 5 s plus the requested wait.
 */
export interface LockEngine {
  readonly backend: string;
  readonly multiLocks: MultiLocks;
  /** Acquires a lock, waiting as long as requested. Never rejects because of `signal`. */
  acquire(key: RecordKey, ask: AcquireCommand, wait: WaitOptions): Promise<AcquireAnswer>;
  /** Runs any other command. A read first writes the end of an expired lease that it finds. */
  run<C extends Exclude<LockCommand, AcquireCommand>>(
    key: RecordKey,
    command: C,
  ): Promise<AnswerOf<C>>;
  /** Runs a command on the counter of that name. A lock of the same name is another record. */
  count<C extends CounterCommand>(key: RecordKey, command: C): Promise<CounterAnswerOf<C>>;
  /** The cached lock if its rev is at least `rev`; null: it must be read from the store. */
  cachedLock(key: RecordKey, rev: number): CachedLock | null;
  /**
   * The answer stored for this request with this input, which shows the outcome of an interrupted
   * action; null: none is stored.
   *
   * @param keptUntil ignores answers that expire sooner, by the backend's clock; absent: returns
   *   any, even one that has expired but is still stored
   */
  rememberedAnswer(request: RequestIdentity, keptUntil?: number): Promise<unknown>;
  /** A lower bound of the clock of this record's store, epoch ms; null: unknown. */
  clockAtLeast(key: RecordKey): number | null;
  health(): BackendHealth;
  /** Answers every waiting request `queued` and keeps its place briefly; accepts no new waits. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** The engine of one store: a backend without shards, or one shard. */
export interface StoreEngine extends LockEngine {
  /** Reads records that another process has changed, and caches them: see `rereadRecords`. */
  reread(keys: RecordKey[]): Promise<ReadRecord[]>;
  /**
   * Begins to expire and promote what is due on these locks, unless that is under way. None of them
   * waits for another. Failures are not reported: what was due is due again.
   */
  expireAndPromote(keys: RecordKey[]): void;
}
