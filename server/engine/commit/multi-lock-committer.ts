import { LockyardError } from '../../contract/errors';
import type { SetAnswer } from '../../contract/multi-lock/answers';
import type { LockRecord } from '../../core/lock/lock-record';
import { decideSet, type SetDecision } from '../../core/multi-lock/decide-multi-lock';
import { namesOf, type SetCommand } from '../../core/multi-lock/multi-lock-command';
import type { KnownRecord } from '../../storage/codec/record-codec';
import { recordId } from '../../storage/record-id';
import { type ReadResult, type RecordKey, StoreError } from '../../storage/record-store';
import {
  backendDown,
  contended,
  inDoubt,
  setTooLarge,
  unknownOutcome,
  unreadable,
} from '../refusals';
import { handOver } from '../waiting/deliver-grants';
import { ageSetAnswer } from '../waiting/subtract-elapsed-multi-lock';
import type { Lane } from './batcher';
import { openRecord } from './cache-record';
import type { FlushTools } from './committer';
import { writeDown } from './prepare-change';
import { meetStrangers } from './refresh-unknown-members';
import { type SetVerdict, sureSwapAll } from './swap-with-recovery';

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

export interface SetTools extends Omit<FlushTools, 'resubmit'> {
  lane: Lane;
}

/** What a command on a set came to. `changed`: by this very command; a replay changes nothing. */
export interface SetResult {
  answer: SetAnswer;
  changed: boolean;
}

type Known = KnownRecord<LockRecord>;

/** The locks of one set as they were read, and when. */
interface Reading {
  keys: RecordKey[];
  bases: (Known | null)[];
  memos: ReadResult['memos'];
  now: number;
}

interface Run {
  namespace: string;
  command: SetCommand;
  dueAt: number;
  /** A swap is under way, or its outcome is unknown: it may have been applied. */
  mayStand: boolean;
  /** Its caller was answered. */
  over: boolean;
}

/**
 * Runs commands on sets of locks: reads all, decides, swaps all that change in one atomic step,
 * answers after it. No other command of this process touches those locks meanwhile; one of another
 * process that came between is lost to, and the set decided again from what is there then. What is
 * known of one lock of a set is known of all: so a lost reply never leaves a part.
 */
export class SetRunner {
  constructor(private readonly tools: SetTools) {}

  /** When the budget of a command that comes now is over, on the monotonic clock. */
  dueAt(): number {
    return this.tools.monotonic() + BUDGET_MS;
  }

  /**
   * @param onUnheard told of what changed though the caller was answered `UNKNOWN` before
   * @throws LockyardError as `LockEngine`
   */
  run(
    namespace: string,
    command: SetCommand,
    dueAt: number,
    onUnheard: (answer: SetAnswer) => void,
  ): Promise<SetResult> {
    const { pulse } = this.tools;
    if (pulse.absence) return Promise.reject(pulse.absence);
    const run: Run = { namespace, command, dueAt, mayStand: false, over: false };
    const ids = namesOf(command).map((name) => recordId({ namespace, name }));
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        const wasOver = run.over;
        run.over = true;
        return wasOver;
      };
      const refuse = (error: LockyardError) => {
        end();
        reject(run.mayStand ? inDoubt(error) : error);
      };
      const overdue = () => refuse(pulse.absence ?? backendDown(null));
      const timer = setTimeout(overdue, dueAt + GRACE_MS - this.tools.monotonic()).unref();
      const job = async () => {
        if (run.over) return;
        try {
          const result = await this.untilDecided(run);
          if (!end()) resolve(result);
          else if (result.changed) onUnheard(result.answer);
        } catch (error) {
          refuse(error instanceof LockyardError ? error : broken(error));
        }
      };
      this.tools.lane.submitSet({ ids, run: job });
    });
  }

  private async untilDecided(run: Run): Promise<SetResult> {
    const { monotonic } = this.tools;
    for (;;) {
      const startedAt = monotonic();
      const reading = await this.readInTime(run);
      // A caller that was answered "nothing was changed" must stay right for good.
      if (run.over) throw contended();
      // What was in doubt is not any more: the locks and what is remembered of the request were
      // read after it.
      run.mayStand = false;
      try {
        const epoch = this.tools.epochOf();
        const decision = this.decide(run, reading, epoch);
        if (decision.changes.length === 0) {
          return { answer: ageSetAnswer(decision.answer, monotonic() - startedAt), changed: false };
        }
        const answer = await this.counted(run, reading, decision, () =>
          this.swapped(run, reading, { ...decision, epoch }, startedAt),
        );
        if (answer) return { answer, changed: true };
      } catch (error) {
        const isReadApart = error instanceof LockyardError && error.reason === 'CONTENDED';
        if (!isReadApart) throw error;
        run.mayStand = true;
      }
      if (monotonic() >= run.dueAt) throw contended();
    }
  }

  /** Tells of the records that a swap makes, if it takes. */
  private async counted<A>(
    { namespace }: Run,
    { keys, bases }: Reading,
    { changes }: SetDecision,
    swap: () => Promise<A | null>,
  ): Promise<A | null> {
    const { names } = this.tools;
    const isBorn = (name: string) => !bases[keys.findIndex((key) => key.name === name)];
    const born = changes
      .filter(({ name }) => isBorn(name))
      .map(({ name }) => ({ namespace, name }));
    for (const key of born) names.making(key);
    let answer: A | null = null;
    try {
      answer = await swap();
    } finally {
      for (const key of born) names.settled(key, answer !== null);
    }
    return answer;
  }

  private async readInTime({ namespace, command, dueAt }: Run): Promise<Reading> {
    const { store, monotonic, backendClock, known } = this.tools;
    const keys = namesOf(command).map((name): RecordKey => ({ namespace, name }));
    const requestKeys = command.request.remembered ? [command.request.key] : [];
    for (;;) {
      const readAt = monotonic();
      try {
        const { records, memos } = await store.read(keys, requestKeys);
        const now = Math.max(...records.map((read) => read.now));
        if (!store.estimatesClock) backendClock.observe(now, readAt);
        const bases = records.map(({ key, record }) => openLock(known, key, record));
        const processes = bases.flatMap((base) => base?.record.queue.map((w) => w.process) ?? []);
        await meetStrangers(this.tools, processes);
        return { keys, bases, memos, now };
      } catch (cause) {
        if (!(cause instanceof StoreError)) throw cause;
        if (monotonic() + PAUSE_MS >= dueAt) throw backendDown(cause);
      }
      await pause();
    }
  }

  private decide(
    { namespace, command }: Run,
    { keys, bases, memos, now }: Reading,
    epoch: number,
  ): SetDecision {
    const { process, policyOf, pulse, room } = this.tools;
    const records = new Map(keys.map(({ name }, i) => [name, bases[i]?.record ?? null]));
    return decideSet(records, command, {
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
  private async swapped(
    run: Run,
    reading: Reading,
    { changes, answer, epoch }: SetDecision & { epoch: number },
    startedAt: number,
  ): Promise<SetAnswer | null> {
    const { store, monotonic, newWriter, known, backendClock, room } = this.tools;
    const written = changes.map(({ name, decision }) => {
      const i = reading.keys.findIndex((key) => key.name === name);
      const base = reading.bases[i] ?? null;
      const key = { namespace: run.namespace, name };
      const decided = { key, base, epoch, ...decision };
      return { key, decision, ...writeDown(decided, decision.next, newWriter()) };
    });
    const proposals = written.map(({ change }) => change);
    const forgetAll = () => {
      for (const { key } of written) known.forget(recordId(key));
    };
    const tellDoubt = () => {
      for (const { key, decision } of written) {
        for (const { tag } of decision.handOffs)
          room.wake(recordId(key), tag, { why: 'uncertain' });
      }
    };
    run.mayStand = true;
    const sentAt = monotonic();
    let verdict: SetVerdict;
    try {
      verdict = await sureSwapAll(store, proposals, { dueAt: run.dueAt, monotonic, newWriter });
    } catch (cause) {
      forgetAll();
      run.mayStand = !(cause instanceof StoreError) || cause.applied === 'unknown';
      if (run.mayStand) tellDoubt();
      throw backendDown(cause);
    }
    if (!store.estimatesClock) backendClock.observe(verdict.now, sentAt);
    if (verdict.took !== 'yes') {
      forgetAll();
      run.mayStand = verdict.took === 'unknown';
      if (verdict.took === 'tooLarge') throw setTooLarge();
      if (!run.mayStand) return null;
      tellDoubt();
      if (answer.outcome !== 'granted' || run.command.request.remembered) return null;
      throw unknownOutcome(null);
    }
    const latest = backendClock.latestSince(verdict.now, sentAt);
    const elapsedMs = Math.max(monotonic() - startedAt, latest - reading.now);
    for (const [i, { key, decision, queueOnDisk }] of written.entries()) {
      const writer = verdict.writers[i] ?? null;
      if (writer === null) known.forget(recordId(key));
      else known.at(recordId(key)).known = { record: decision.next, writer, queueOnDisk };
      handOver(this.tools, key, decision.handOffs, elapsedMs);
      room.callTurns(recordId(key), decision.next);
    }
    return ageSetAnswer(answer, elapsedMs);
  }
}

function openLock(...[known, key, record]: Parameters<typeof openRecord>): Known | null {
  try {
    return openRecord(known, key, record).known as Known | null;
  } catch (cause) {
    throw unreadable(cause);
  }
}

function broken(cause: unknown): LockyardError {
  return new LockyardError('INTERNAL', 'This command could not be decided.', { cause });
}

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
