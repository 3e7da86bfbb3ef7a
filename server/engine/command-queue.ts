import type { LockyardError } from '../contract/errors';
import type { AcquireCommand, AnswerOf, LockCommand } from '../core/lock/lock-command';
import type {
  MultiLockAnswer,
  MultiLockAnswerOf,
  MultiLockCommand,
} from '../core/multi-lock/multi-lock-command';
import { COMMAND_BUDGET_MS, EXPIRE_BEFORE_READ_MAX_MS } from '../core/timing';
import { TimeLimit } from '../platform/time-limit';
import { recordKey } from '../storage/record-id';
import type { RecordKey } from '../storage/record-store';
import { Batcher, type MultiLockJob } from './commit/batcher';
import { Committer } from './commit/committer';
import { MultiLockCommitter } from './commit/multi-lock-committer';
import type { EngineContext } from './engine-context';
import { PendingCommand, PendingMultiLock } from './pending-command';
import type { AnyAnswerOf, AnyCommand } from './record-type';
import { backendDown, isOwnFault } from './refusals';
import { Deadlines } from './replies/deadlines';
import { UnreceivedGrants } from './replies/unreceived-grants';

/** The result of a command on a record, or on a multi-lock. */
export interface CommandResult<A = unknown> {
  answer: A;
  /** Whether this command itself changed the record, or some of them; a replay did not. */
  changed: boolean;
}

/** Accepts commands. Each is answered once, and in time even if its store does not respond. */
export class CommandQueue {
  readonly unreceived: UnreceivedGrants;
  private readonly deadlines: Deadlines;
  private readonly batcher: Batcher;
  private readonly multiLockCommitter: MultiLockCommitter;
  /** The ids of the locks on which `expireAndPromote` is under way. */
  private readonly expiring = new Set<string>();

  constructor(private readonly context: EngineContext) {
    this.unreceived = new UnreceivedGrants(this, () => context.monotonic());
    this.deadlines = new Deadlines(context);
    this.batcher = new Batcher(new Committer(context, this), context.store);
    this.multiLockCommitter = new MultiLockCommitter(context, this);
  }

  /**
   * When the budget of a command that is submitted now ends, on the monotonic clock.
   *
   * @param patienceEndsAt when the wait of the call that submits it ends: a command submitted later
   *   gets no more time, so that the call is answered in time
   */
  dueAt(patienceEndsAt = Number.POSITIVE_INFINITY): number {
    return Math.min(this.context.monotonic(), patienceEndsAt) + COMMAND_BUDGET_MS;
  }

  submit<C extends AnyCommand>(
    key: RecordKey,
    command: C,
    dueAt = this.dueAt(),
  ): Promise<CommandResult<AnyAnswerOf<C>>> {
    const { refusal } = this.context.membership;
    if (refusal) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      // Commands of all verbs wait together; the function that decides one answers its verb.
      const answer = resolve as (result: CommandResult) => void;
      const pending = new PendingCommand(this, key, command, dueAt, answer, reject);
      this.deadlines.watch(pending);
      this.batcher.submit(pending);
    });
  }

  submitMultiLock<C extends MultiLockCommand>(
    namespace: string,
    command: C,
    dueAt = this.dueAt(),
  ): Promise<CommandResult<MultiLockAnswerOf<C>>> {
    const { refusal } = this.context.membership;
    if (refusal) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      const answer = resolve as (result: CommandResult<MultiLockAnswer>) => void;
      const pending = new PendingMultiLock(this, namespace, command, dueAt, answer, reject);
      this.deadlines.watch(pending);
      this.batcher.submitMultiLock(this.jobOf(pending));
    });
  }

  /** Runs a command on a lock and returns only its answer. */
  run<C extends Exclude<LockCommand, AcquireCommand>>(
    key: RecordKey,
    command: C,
    dueAt?: number,
  ): Promise<AnswerOf<C>> {
    return this.submit(key, command, dueAt).then(({ answer }) => answer);
  }

  /** Decides commands again, from a record that is read from now on. */
  retry(commands: PendingCommand[]): void {
    for (const pending of commands) pending.mustRead = true;
    this.batcher.resubmit(commands);
  }

  /** Decides commands that were not applied again, from the cached record if there is one. */
  retryFromCache(commands: PendingCommand[]): void {
    this.batcher.resubmit(commands);
  }

  /**
   * Decides a multi-lock again when its turn comes: after those that already wait, but before its
   * cancel, which would find nothing to undo.
   */
  retryMultiLock(pending: PendingMultiLock): void {
    this.batcher.resubmitMultiLock(this.jobOf(pending));
  }

  /** Sends these records in separate packets: another transaction has one of them locked. */
  sendAlone(ids: string[]): void {
    this.batcher.sendAlone(ids);
  }

  /** Lets a record share packets again, since it was written. */
  sendWithOthers(id: string): void {
    this.batcher.sendWithOthers(id);
  }

  /**
   * Expires and promotes what is due on a lock; rejects if that takes longer than `withinMs`. The
   * command itself has as much time as any other: a packet is abandoned when the budget of its most
   * urgent command ends.
   */
  async expireInTime(key: RecordKey, withinMs = EXPIRE_BEFORE_READ_MAX_MS): Promise<void> {
    const expired = this.run(key, { verb: 'expireAndPromote' });
    await TimeLimit.within(withinMs, () => backendDown(null), expired);
  }

  /** Expires and promotes what is due on these locks, independently of one another. */
  expireAndPromote(ids: string[]): void {
    for (const id of ids) {
      if (this.expiring.has(id)) continue;
      this.expiring.add(id);
      const done = this.run(recordKey(id), { verb: 'expireAndPromote' }).catch(() => undefined);
      void done.finally(() => this.expiring.delete(id));
    }
  }

  /** Reports that a command failed if that is a fault of Lockyard. */
  reportRefusal(key: RecordKey, error: LockyardError): void {
    if (isOwnFault(error)) this.context.options.onFault?.(key, error);
  }

  private jobOf(pending: PendingMultiLock): MultiLockJob {
    const { ids, command } = pending;
    const run = () => this.multiLockCommitter.commit(pending);
    return { ids, request: command.request.key, run };
  }
}
