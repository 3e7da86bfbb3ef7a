import type { BackendHealth } from '../contract/console/backend-health';
import type { AcquireAnswer } from '../contract/lock/answers';
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

/** How one acquire may wait within its request. */
export interface WaitOptions {
  /** How long this request may be held open, in ms; then `queued`, and the place is kept. */
  holdRequestMs: number;
  /** Aborted when the caller hangs up: its waiter leaves, and a grant not received is reverted. */
  signal?: AbortSignal;
  /**
   * Aborted when the caller is refused, before `signal`: for a repeat of its request only its age
   * is kept, neither a place nor a grant.
   */
  refused?: AbortSignal;
  /** Whether the caller hung up: for a call that does not wait, which asks once, at its end. */
  hasHungUp?: () => boolean;
  /** Resolves once `signal` shows every hang-up that has reached this machine by now. */
  hangUpNoticed?: () => Promise<void>;
  /** Called each time that the call gets a place in a queue. */
  onQueued?: () => void;
}

/** A lock as it was at some instant; a recent one if this process often works on the lock. */
export interface CachedLock {
  record: LockRecord;
  /** A lower bound of the backend's clock, in epoch ms. */
  now: number;
}

/** Several locks of one namespace at once: see `decideMultiLock`. Errors as `LockEngine`. */
export interface MultiLocks {
  /** Takes all or none, waiting as long as asked. Never rejects because of `signal`. */
  acquire(
    namespace: string,
    ask: AcquireMultiLockCommand,
    wait: WaitOptions,
  ): Promise<AcquireManyAnswer>;
  /** Answers an acquire that comes after its own cancel: it takes nothing. */
  answerCancelled(namespace: string, ask: AcquireMultiLockCommand): Promise<AcquireManyAnswer>;
  /** Undoes an acquire, whether it still waits or was granted meanwhile. */
  cancel(
    namespace: string,
    command: CancelMultiLockCommand,
  ): Promise<{ outcome: 'cancelled' | 'released' | 'none' }>;
}

/**
 * Runs commands on the locks and counters of one backend: groups them, reads what they need at
 * once, decides, swaps all changed records in one packet, and answers after the write. Every answer
 * is true of some instant between call and return.
 *
 * Errors, all `LockyardError`: `BACKEND_DOWN` (known not applied), `UNKNOWN` (may have been
 * applied), `CONTENDED` (lost every race within its time budget), and what `decide` refuses.
 * Answers come within 5 s plus the wait asked for.
 */
export interface LockEngine {
  readonly backend: string;
  readonly multiLocks: MultiLocks;
  /** Acquires, waiting as long as asked. Never rejects because of `signal`. */
  acquire(key: RecordKey, ask: AcquireCommand, wait: WaitOptions): Promise<AcquireAnswer>;
  /** Runs any other command. An expired lease that a read finds is first ended in the record. */
  run<C extends Exclude<LockCommand, AcquireCommand>>(
    key: RecordKey,
    command: C,
  ): Promise<AnswerOf<C>>;
  /** Runs a command on the counter of that name. A lock of the same name is another record. */
  count<C extends CounterCommand>(key: RecordKey, command: C): Promise<CounterAnswerOf<C>>;
  /** A lock as last read or written here, if at `rev` or later; null: only the store knows. */
  cachedLock(key: RecordKey, rev: number): CachedLock | null;
  /**
   * The answer remembered for this very request, from which the outcome of an interrupted act is
   * known; null: none is remembered.
   *
   * @param keptUntil only one that is kept until then, by the backend's clock. Absent: any, also
   *   one that has expired and is still there
   */
  rememberedAnswer(request: RequestIdentity, keptUntil?: number): Promise<unknown>;
  /** The clock of this record's store is at least this, epoch ms; null: nothing is known. */
  clockAtLeast(key: RecordKey): number | null;
  health(): BackendHealth;
  /** Answers every waiting request `queued` and keeps its place briefly; takes no new waits. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** The engine of one store: of a backend without shards, or of one shard. */
export interface StoreEngine extends LockEngine {
  /** Reads records that another process has changed, and caches them: see `rereadRecords`. */
  reread(keys: RecordKey[]): Promise<ReadRecord[]>;
  /**
   * Begins to expire and promote what is due on these locks, unless that is under way. None of them
   * waits for another; what fails is due again.
   */
  settle(keys: RecordKey[]): void;
}
