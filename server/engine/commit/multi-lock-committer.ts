import { LockyardError } from '../../contract/errors';
import type { LockRecord } from '../../core/lock/lock-record';
import { decideMultiLock, type MultiLockDecision } from '../../core/multi-lock/decide-multi-lock';
import type { MultiLockAnswer } from '../../core/multi-lock/multi-lock-command';
import { type MultiLockCommand, namesOf } from '../../core/multi-lock/multi-lock-command';
import type { KnownRecord } from '../../storage/codec/record-codec';
import { recordId } from '../../storage/record-id';
import { type ReadResult, type RecordKey, StoreError } from '../../storage/record-store';
import {
  backendDown,
  contended,
  multiLockTooLarge,
  unknownIfDenied,
  unknownOutcome,
  unreadable,
} from '../refusals';
import { deliverGrants } from '../waiting/deliver-grants';
import { subtractElapsedMultiLock } from '../waiting/subtract-elapsed-multi-lock';
import type { Batcher } from './batcher';
import { cacheRecord } from './cache-record';
import type { CommitDependencies } from './committer';
import { prepareChange } from './prepare-change';
import { refreshUnknownMembers } from './refresh-unknown-members';
import { type SwapAllOutcome, swapAllWithRecovery } from './swap-with-recovery';

/**
 * Time in which a set may begin a packet. With what that packet takes, its caller hears within 5 s.
 */
const BUDGET_MS = 3_500;

/**
 * How long after its budget a set may still be waited for: for the packet that was under way when
 * that ended.
 */
const GRACE_MS = 1_100;

const PAUSE_MS = 50;

export interface MultiLockCommitDependencies extends Omit<CommitDependencies, 'resubmit'> {
  lane: Batcher;
}

/** What a command on a set came to. `changed`: by this very command; a replay changes nothing. */
export interface MultiLockResult {
  answer: MultiLockAnswer;
  changed: boolean;
}

type KnownLock = KnownRecord<LockRecord>;

/** The locks of one set as they were read, and when. */
interface Reading {
  keys: RecordKey[];
  bases: (KnownLock | null)[];
  memos: ReadResult['memos'];
  now: number;
}

interface MultiLockRun {
  namespace: string;
  command: MultiLockCommand;
  dueAt: number;
  /** A swap is under way, or its outcome is unknown: it may have been applied. */
  mayBeApplied: boolean;
  /** Its caller was answered. */
  isAnswered: boolean;
}

/**
 * Runs commands on sets of locks: reads all, decides, swaps all that change in one atomic step,
 * answers after it. No other command of this process touches those locks meanwhile; one of another
 * process that came between is lost to, and the set decided again from what is there then. What is
 * known of one lock of a set is known of all: so a lost reply never leaves a part.
 */
export class MultiLockCommitter {
  constructor(private readonly deps: MultiLockCommitDependencies) {}

  /** When the budget of a command that comes now is over, on the monotonic clock. */
  dueAt(): number {
    return this.deps.monotonic() + BUDGET_MS;
  }

  /**
   * @param onUnheard told of what changed though the caller was answered `UNKNOWN` before
   * @throws LockyardError as `LockEngine`
   */
  run(
    namespace: string,
    command: MultiLockCommand,
    dueAt: number,
    onUnheard: (answer: MultiLockAnswer) => void,
  ): Promise<MultiLockResult> {
    const { pulse } = this.deps;
    if (pulse.refusal) return Promise.reject(pulse.refusal);
    const run: MultiLockRun = { namespace, command, dueAt, mayBeApplied: false, isAnswered: false };
    const ids = namesOf(command).map((name) => recordId({ namespace, name }));
    return new Promise((resolve, reject) => {
      const finish = () => {
        clearTimeout(timer);
        const wasAnswered = run.isAnswered;
        run.isAnswered = true;
        return wasAnswered;
      };
      const refuse = (error: LockyardError) => {
        finish();
        reject(run.mayBeApplied ? unknownIfDenied(error) : error);
      };
      const overdue = () => refuse(pulse.refusal ?? backendDown(null));
      const timer = setTimeout(overdue, dueAt + GRACE_MS - this.deps.monotonic()).unref();
      const job = async () => {
        if (run.isAnswered) return;
        try {
          const result = await this.decideUntilCommitted(run);
          if (!finish()) resolve(result);
          else if (result.changed) onUnheard(result.answer);
        } catch (error) {
          refuse(error instanceof LockyardError ? error : undecidable(error));
        }
      };
      this.deps.lane.submitMultiLock({ ids, run: job });
    });
  }

  private async decideUntilCommitted(run: MultiLockRun): Promise<MultiLockResult> {
    const { monotonic } = this.deps;
    for (;;) {
      const startedAt = monotonic();
      const reading = await this.readInTime(run);
      // A caller that was answered "nothing was changed" must stay right for good.
      if (run.isAnswered) throw contended();
      // What was in doubt is not any more: the locks and what is remembered of the request were
      // read after it.
      run.mayBeApplied = false;
      try {
        const epoch = this.deps.epochOf();
        const decision = this.decide(run, reading, epoch);
        if (decision.changes.length === 0) {
          return {
            answer: subtractElapsedMultiLock(decision.answer, monotonic() - startedAt),
            changed: false,
          };
        }
        const answer = await this.countCreated(run, reading, decision, () =>
          this.swap(run, reading, { ...decision, epoch }, startedAt),
        );
        if (answer) return { answer, changed: true };
      } catch (error) {
        const isStaleRead = error instanceof LockyardError && error.reason === 'CONTENDED';
        if (!isStaleRead) throw error;
        run.mayBeApplied = true;
      }
      if (monotonic() >= run.dueAt) throw contended();
    }
  }

  /** Tells of the records that a swap makes, if it takes. */
  private async countCreated<A>(
    { namespace }: MultiLockRun,
    { keys, bases }: Reading,
    { changes }: MultiLockDecision,
    swap: () => Promise<A | null>,
  ): Promise<A | null> {
    const { names } = this.deps;
    const isCreated = (name: string) => !bases[keys.findIndex((key) => key.name === name)];
    const created = changes
      .filter(({ name }) => isCreated(name))
      .map(({ name }) => ({ namespace, name }));
    for (const key of created) names.creating(key);
    let answer: A | null = null;
    try {
      answer = await swap();
    } finally {
      for (const key of created) names.finished(key, answer !== null);
    }
    return answer;
  }

  private async readInTime({ namespace, command, dueAt }: MultiLockRun): Promise<Reading> {
    const { store, monotonic, backendClock, known } = this.deps;
    const keys = namesOf(command).map((name): RecordKey => ({ namespace, name }));
    const requestKeys = command.request.remembered ? [command.request.key] : [];
    for (;;) {
      const readAt = monotonic();
      try {
        const { records, memos } = await store.read(keys, requestKeys);
        const now = Math.max(...records.map((read) => read.now));
        if (!store.estimatesClock) backendClock.observe(now, readAt);
        const bases = records.map(({ key, record }) => cacheLock(known, key, record));
        const processes = bases.flatMap((base) => base?.record.queue.map((w) => w.process) ?? []);
        await refreshUnknownMembers(this.deps, processes);
        return { keys, bases, memos, now };
      } catch (cause) {
        if (!(cause instanceof StoreError)) throw cause;
        if (monotonic() + PAUSE_MS >= dueAt) throw backendDown(cause);
      }
      await pause();
    }
  }

  private decide(
    { namespace, command }: MultiLockRun,
    { keys, bases, memos, now }: Reading,
    epoch: number,
  ): MultiLockDecision {
    const { process, policyOf, pulse, room } = this.deps;
    const records = new Map(keys.map(({ name }, i) => [name, bases[i]?.record ?? null]));
    return decideMultiLock(records, command, {
      now,
      epoch,
      process,
      policy: policyOf(namespace),
      isAlive: pulse.isAlive,
      callerOf: (name, waiter) => room.callersOf(recordId({ namespace, name }))(waiter),
      remembered: memos.find(({ key }) => key === command.request.key) ?? null,
    });
  }

  /** The answer, or null where another writer was faster. */
  private async swap(
    run: MultiLockRun,
    reading: Reading,
    { changes, answer, epoch }: MultiLockDecision & { epoch: number },
    startedAt: number,
  ): Promise<MultiLockAnswer | null> {
    const { store, monotonic, newWriter, known, backendClock, room } = this.deps;
    const prepared = changes.map(({ name, decision }) => {
      const i = reading.keys.findIndex((key) => key.name === name);
      const base = reading.bases[i] ?? null;
      const key = { namespace: run.namespace, name };
      const decided = { key, base, epoch, ...decision };
      return { key, decision, ...prepareChange(decided, decision.next, newWriter()) };
    });
    const proposals = prepared.map(({ change }) => change);
    const evictAll = () => {
      for (const { key } of prepared) known.evict(recordId(key));
    };
    const wakeUncertain = () => {
      for (const { key, decision } of prepared) {
        for (const { tag } of decision.handOffs)
          room.wake(recordId(key), tag, { why: 'uncertain' });
      }
    };
    run.mayBeApplied = true;
    const sentAt = monotonic();
    let outcome: SwapAllOutcome;
    try {
      outcome = await swapAllWithRecovery(store, proposals, {
        dueAt: run.dueAt,
        monotonic,
        newWriter,
      });
    } catch (cause) {
      evictAll();
      run.mayBeApplied = !(cause instanceof StoreError) || cause.applied === 'unknown';
      if (run.mayBeApplied) wakeUncertain();
      throw backendDown(cause);
    }
    if (!store.estimatesClock) backendClock.observe(outcome.now, sentAt);
    if (outcome.took !== 'yes') {
      evictAll();
      run.mayBeApplied = outcome.took === 'unknown';
      if (outcome.took === 'tooLarge') throw multiLockTooLarge();
      if (!run.mayBeApplied) return null;
      wakeUncertain();
      if (answer.outcome !== 'granted' || run.command.request.remembered) return null;
      throw unknownOutcome(null);
    }
    const latest = backendClock.latestSince(outcome.now, sentAt);
    const elapsedMs = Math.max(monotonic() - startedAt, latest - reading.now);
    for (const [i, { key, decision, queueOnDisk: storedQueue }] of prepared.entries()) {
      const writer = outcome.writers[i] ?? null;
      if (writer === null) known.evict(recordId(key));
      else
        known.entryOf(recordId(key)).known = {
          record: decision.next,
          writer,
          storedQueue,
        };
      deliverGrants(this.deps, key, decision.handOffs, elapsedMs);
      room.notifyOffered(recordId(key), decision.next);
    }
    return subtractElapsedMultiLock(answer, elapsedMs);
  }
}

function cacheLock(...[known, key, record]: Parameters<typeof cacheRecord>): KnownLock | null {
  try {
    return cacheRecord(known, key, record).known as KnownLock | null;
  } catch (cause) {
    throw unreadable(cause);
  }
}

function undecidable(cause: unknown): LockyardError {
  return new LockyardError('INTERNAL', 'This command could not be decided.', { cause });
}

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
