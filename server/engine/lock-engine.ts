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
  /** The caller hung up: its waiter leaves, and a grant it never heard of is reverted. */
  signal?: AbortSignal;
  /**
   * The caller is refused, before `signal` says that it is gone: nothing is kept for a repeat of
   * its request but its age.
   */
  refused?: AbortSignal;
  /** The same for a call that does not wait, which asks once, at its end. */
  hasHungUp?: () => boolean;
  /** Resolves once a hang-up that has reached this machine by now is known to `signal`. */
  hangUpNoticed?: () => Promise<void>;
  /** Called when the call has got its place in a queue, each time that it gets one. */
  onQueued?: () => void;
}

/** A whole truth of some instant, not long ago where the lock is busy here. */
export interface CachedLock {
  record: LockRecord;
  /** The backend's clock, at least. */
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
   * The answer remembered for this very request, or null: the outcome of an interrupted act.
   *
   * @param keptUntil only one that is kept until then, by the backend's clock. Absent: any, also
   *   one that has expired and is still there
   */
  rememberedAnswer(request: RequestIdentity, keptUntil?: number): Promise<unknown>;
  /** The clock of this record's store is at least this, epoch ms; null: nothing is known. */
  clockAtLeast(key: RecordKey): number | null;
  health(): BackendHealth;
  /** Answers every waiting request `queued`, places kept for a moment; takes no new waits. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** The engine of one store: of a backend without shards, or of one shard. */
export interface StoreEngine extends LockEngine {
  /** Reads records that another process has changed, and takes note of them: `rereadRecords`. */
  reread(keys: RecordKey[]): Promise<ReadRecord[]>;
  /**
   * Begins to expire and promote what is due on these locks, unless that is under way. None of them
   * waits for another; what fails is due again.
   */
  settle(keys: RecordKey[]): void;
}
