import { LockyardError } from '../../contract/errors';
import type { LockRecord } from '../../core/lock/lock-record';
import { decideMultiLock, type MultiLockDecision } from '../../core/multi-lock/decide-multi-lock';
import {
  type MultiLockAnswer,
  type MultiLockCommand,
  namesOf,
} from '../../core/multi-lock/multi-lock-command';
import type { KnownRecord } from '../../storage/codec/record-codec';
import { recordId } from '../../storage/record-id';
import { type ReadResult, type RecordKey, StoreError } from '../../storage/record-store';
import type { CommandQueue, CommandResult } from '../command-queue';
import type { EngineContext } from '../engine-context';
import type { PendingMultiLock } from '../pending-command';
import {
  contended,
  isStaleRead,
  multiLockTooLarge,
  notRun,
  swapFailed,
  unknownOutcome,
  unreadable,
} from '../refusals';
import { endWaits } from '../waiting/end-waits';
import { subtractElapsedMultiLock } from '../waiting/subtract-elapsed';
import { type PreparedChange, prepareChange } from './prepare-change';
import { readRecords } from './read-records';
import { type SwapAllOutcome, swapAllWithRecovery } from './swap-with-recovery';

type KnownLock = KnownRecord<LockRecord>;

/** One read of all locks of a multi-lock. */
interface Reading {
  bases: Map<string, KnownLock | null>;
  storedAnswers: ReadResult['storedAnswers'];
  now: number;
  epoch: number;
  /** On the monotonic clock, before the read. */
  startedAt: number;
}

/** A lock of a multi-lock that changes. */
interface PreparedLock extends PreparedChange {
  key: RecordKey;
  decision: MultiLockDecision['changes'][number]['decision'];
}

/**
 * Commits commands on multi-locks: reads all locks, decides, swaps all changes in one atomic step,
 * and then answers. No other command of this process works on those locks meanwhile; if one of
 * another process intervenes, the command is decided again from a new read. Since the step is
 * atomic, the outcome for one lock is that for all: a lost reply never leaves a partial change.
 */
export class MultiLockCommitter {
  constructor(
    private readonly context: EngineContext,
    private readonly commands: CommandQueue,
  ) {}

  async commit(pending: PendingMultiLock): Promise<void> {
    if (pending.isAnswered) return;
    try {
      if (pending.isHinderedPast(this.context.monotonic())) throw contended();
      const result = await this.decideUntilCommitted(pending);
      if (result) pending.answer(result);
      else this.giveWay(pending);
    } catch (error) {
      pending.refuse(error instanceof LockyardError ? error : notRun(error));
    }
  }

  /** Retries the command later, so that other commands do not wait for the locked row. */
  private giveWay(pending: PendingMultiLock): void {
    pending.isHindered = true;
    this.commands.retryMultiLock(pending);
  }

  /** Null: another transaction has a row locked: see `giveWay`. */
  private async decideUntilCommitted(
    pending: PendingMultiLock,
  ): Promise<CommandResult<MultiLockAnswer> | null> {
    const { context } = this;
    for (;;) {
      const reading = await this.read(pending);
      // The caller may have been answered "nothing was changed", which must remain true.
      if (pending.isAnswered) throw contended();
      // Earlier attempts are settled: the locks and the request's answer were read after them.
      pending.mayBeApplied = false;
      try {
        const decision = this.decide(pending, reading);
        if (decision.changes.length === 0) {
          const elapsedMs = context.elapsedSinceRead(reading.startedAt, reading.now);
          return { answer: subtractElapsedMultiLock(decision.answer, elapsedMs), changed: false };
        }
        const answer = await this.swapAndCount(pending, reading, decision);
        if (answer) return { answer, changed: true };
      } catch (error) {
        if (error instanceof StoreError && context.monotonic() < pending.dueAt) return null;
        if (error instanceof StoreError) throw contended();
        if (!(error instanceof LockyardError && isStaleRead(error))) throw error;
        pending.mayBeApplied = true;
      }
      if (context.monotonic() >= pending.dueAt) throw contended();
    }
  }

  private async read({ namespace, command, dueAt }: PendingMultiLock): Promise<Reading> {
    const { context } = this;
    const { cache, membership, options } = context;
    const startedAt = context.monotonic();
    const keys = namesOf(command).map((name): RecordKey => ({ namespace, name }));
    const requestKeys = command.request.remembered ? [command.request.key] : [];
    const { records, storedAnswers } = await readRecords(context, keys, requestKeys, dueAt);
    const now = Math.max(...records.map((read) => read.now));
    const bases = new Map<string, KnownLock | null>();
    for (const { key, record } of records) {
      try {
        bases.set(key.name, cache.update(recordId(key), key, record).known as KnownLock | null);
      } catch (cause) {
        throw unreadable(cause);
      }
    }
    const queues = [...bases.values()].flatMap((base) => base?.record.queue ?? []);
    await membership.refreshAbsent(queues.map(({ process }) => process));
    return { bases, storedAnswers, now, epoch: options.epochOf(), startedAt };
  }

  private decide(
    { namespace, command }: PendingMultiLock,
    { bases, storedAnswers, now, epoch }: Reading,
  ): MultiLockDecision {
    const { membership, storeClock, waiters, options } = this.context;
    const records = new Map([...bases].map(([name, base]) => [name, base?.record ?? null]));
    return decideMultiLock(records, command, {
      now,
      epoch,
      process: options.processId,
      policy: options.policyOf(namespace),
      isAlive: membership.isAlive,
      setForwardAt: storeClock.setForwardAt,
      callerOf: (name, waiter) => waiters.callersOf(recordId({ namespace, name }))(waiter),
      storedAnswer: storedAnswers.find(({ key }) => key === command.request.key) ?? null,
    });
  }

  /** Swaps, and reports the names of the records that it creates. */
  private async swapAndCount(
    pending: PendingMultiLock,
    reading: Reading,
    decision: MultiLockDecision,
  ): Promise<MultiLockAnswer | null> {
    const { names } = this.context;
    const { namespace } = pending;
    const created = decision.changes.filter(({ name }) => !reading.bases.get(name));
    const keys = created.map(({ name }) => ({ namespace, name }));
    for (const key of keys) names.creating(key);
    let answer: MultiLockAnswer | null = null;
    try {
      answer = await this.swap(pending, reading, decision);
    } finally {
      for (const key of keys) names.finished(key, answer !== null);
    }
    return answer;
  }

  /**
   * The answer, or null if another writer was faster.
   *
   * @throws StoreError if another transaction has a row locked
   */
  private async swap(
    pending: PendingMultiLock,
    reading: Reading,
    { changes, answer }: MultiLockDecision,
  ): Promise<MultiLockAnswer | null> {
    const { context } = this;
    const { storeClock, options } = context;
    const locks = changes.map(({ name, decision }): PreparedLock => {
      const key = { namespace: pending.namespace, name };
      const { epoch, bases } = reading;
      const decided = { key, base: bases.get(name) ?? null, epoch, ...decision };
      return { key, decision, ...prepareChange(decided, decision.next, options.newWriter()) };
    });
    pending.mayBeApplied = true;
    const sentAt = context.monotonic();
    let outcome: SwapAllOutcome;
    try {
      const proposals = locks.map(({ change }) => change);
      outcome = await swapAllWithRecovery(context, proposals, pending.dueAt);
    } catch (cause) {
      this.evict(locks);
      pending.mayBeApplied = !(cause instanceof StoreError) || cause.applied === 'unknown';
      if (pending.mayBeApplied) this.wakeUncertain(locks);
      if (cause instanceof StoreError && cause.isRowLocked) {
        this.commands.sendAlone(pending.ids);
        throw cause;
      }
      if (cause instanceof StoreError && cause.retryable) return null;
      throw swapFailed(cause);
    }
    context.observeClock(outcome.now, sentAt);
    if (outcome.applied !== 'yes') {
      this.evict(locks);
      pending.mayBeApplied = outcome.applied === 'unknown';
      if (outcome.applied === 'tooLarge') throw multiLockTooLarge();
      if (!pending.mayBeApplied) return null;
      this.wakeUncertain(locks);
      if (canBeFound(pending.command, answer)) return null;
      throw unknownOutcome(null);
    }
    const latest = storeClock.latestSince(outcome.now, sentAt);
    const elapsedMs = Math.max(context.monotonic() - reading.startedAt, latest - reading.now);
    this.deliver(locks, outcome.writers, elapsedMs);
    return subtractElapsedMultiLock(answer, elapsedMs);
  }

  /** Caches the locks after the swap, and notifies the callers that wait for them. */
  private deliver(locks: PreparedLock[], writers: (string | null)[], elapsedMs: number): void {
    const { context, commands } = this;
    const { cache, waiters } = context;
    for (const [i, { key, decision, storedQueue }] of locks.entries()) {
      const { next: record, handOffs, timeouts } = decision;
      const id = recordId(key);
      const writer = writers[i] ?? null;
      commands.sendWithOthers(id);
      if (writer === null) cache.evict(id);
      else cache.entryOf(id).known = { record, writer, storedQueue };
      endWaits(context, commands, { key, handOffs, timeouts }, elapsedMs);
      waiters.notifyOffered(id, record);
    }
  }

  private evict(locks: PreparedLock[]): void {
    for (const { key } of locks) this.context.cache.evict(recordId(key));
  }

  /** Wakes waiters that may have been granted: they must not wait behind their own holds. */
  private wakeUncertain(locks: PreparedLock[]): void {
    for (const { key, decision } of locks) {
      for (const { tag } of decision.handOffs) {
        this.context.waiters.wake(recordId(key), tag, { why: 'uncertain' });
      }
    }
  }
}

/**
 * Whether reading the locks again shows if an uncertain change was applied. A re-entered hold does
 * not show which of its entries was cancelled.
 */
function canBeFound({ verb, request }: MultiLockCommand, { outcome }: MultiLockAnswer): boolean {
  if (verb === 'cancelSet') return outcome === 'none';
  return outcome !== 'granted' || request.remembered;
}
