import type { LockyardError } from '../contract/errors';
import type { CancelAnswer } from '../contract/lock/answers';
import {
  type MultiLockAnswer,
  type MultiLockCommand,
  namesOf,
} from '../core/multi-lock/multi-lock-command';
import { identifiedKey, recordId } from '../storage/record-id';
import type { RecordKey } from '../storage/record-store';
import type { CommandQueue, CommandResult } from './command-queue';
import type { AnyCommand } from './record-type';
import { PendingReply } from './replies/pending-reply';

/** A command on one record that has not been answered yet. */
export class PendingCommand extends PendingReply<CommandResult> {
  readonly key: RecordKey;
  /** `recordId(key)`. */
  readonly id: string;
  /** Set when it must be decided from a record that is read after that, not from a cached one. */
  mustRead = false;

  constructor(
    private readonly commands: CommandQueue,
    key: RecordKey,
    readonly command: AnyCommand,
    dueAt: number,
    resolve: (result: CommandResult) => void,
    reject: (error: unknown) => void,
  ) {
    super(dueAt, resolve, reject);
    this.key = identifiedKey(key);
    this.id = recordId(this.key);
  }

  override refuse(error: LockyardError): void {
    this.commands.reportRefusal(this.key, error);
    super.refuse(error);
  }

  /** @param changed whether this command itself changed the record; a replay did not */
  answer(answer: unknown, changed: boolean): void {
    const isReceived = this.resolveOnce({ answer, changed });
    if (isReceived || !changed) return;
    this.commands.unreceived.revertAnswer(this.key, this.command, answer);
  }

  /**
   * Whether it cancels the request of one of these commands on its record, and undid nothing. It
   * can have changed the record all the same, if a lease had ended.
   */
  missedOneOf(others: readonly PendingCommand[], answer: unknown): boolean {
    if (this.command.verb !== 'cancel' || others.length === 0) return false;
    const { key } = this.command.request;
    const undidNothing = (answer as CancelAnswer).outcome === 'none';
    return undidNothing && others.some(({ command }) => idempotencyKey(command) === key);
  }
}

/** A command on a multi-lock that has not been answered yet. */
export class PendingMultiLock extends PendingReply<CommandResult<MultiLockAnswer>> {
  /** The ids of its locks' records. */
  readonly ids: string[];

  constructor(
    private readonly commands: CommandQueue,
    readonly namespace: string,
    readonly command: MultiLockCommand,
    dueAt: number,
    resolve: (result: CommandResult<MultiLockAnswer>) => void,
    reject: (error: unknown) => void,
  ) {
    super(dueAt, resolve, reject);
    this.ids = namesOf(command).map((name) => recordId({ namespace, name }));
  }

  override refuse(error: LockyardError): void {
    const { namespace, command } = this;
    this.commands.reportRefusal({ namespace, name: namesOf(command).join() }, error);
    super.refuse(error);
  }

  answer({ answer, changed }: CommandResult<MultiLockAnswer>): void {
    const isReceived = this.resolveOnce({ answer, changed });
    if (isReceived || !changed) return;
    this.commands.unreceived.revertMultiLockAnswer(this.namespace, this.command, answer);
  }
}

/** The key under which the answer to this command's request is stored; null: it has no id. */
export function idempotencyKey(command: AnyCommand): string | null {
  if (!('request' in command)) return null;
  return command.request?.remembered ? command.request.key : null;
}

/** Whether a command that was applied gets the same answer if it is decided again. */
export function isRepeatable(command: AnyCommand): boolean {
  // The answer stored under a cancelled request's id is for that request, not for its cancel.
  return command.verb !== 'cancel' && idempotencyKey(command) !== null;
}

/** Whether a command changes nothing, so that its answer must not be based on a cached record. */
export function isReadOnly({ verb }: AnyCommand): boolean {
  return verb === 'inspect' || verb === 'check' || verb === 'get';
}
