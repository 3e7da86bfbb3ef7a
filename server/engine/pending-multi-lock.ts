import {
  type MultiLockAnswer,
  type MultiLockCommand,
  namesOf,
} from '../core/multi-lock/multi-lock-command';
import { recordId } from '../storage/record-id';
import type { CommandQueue } from './command-queue';
import { PendingReply } from './pending-reply';

/**
 * What a command on a multi-lock came to. `changed`: by this very command; a replay changes
 * nothing.
 */
export interface MultiLockResult {
  answer: MultiLockAnswer;
  changed: boolean;
}

/** A command on a multi-lock on its way through the batcher. */
export class PendingMultiLock extends PendingReply<MultiLockResult> {
  /** Of the records of its locks. */
  readonly ids: string[];

  constructor(
    private readonly commands: CommandQueue,
    readonly namespace: string,
    readonly command: MultiLockCommand,
    ...reply: ConstructorParameters<typeof PendingReply<MultiLockResult>>
  ) {
    super(...reply);
    this.ids = namesOf(command).map((name) => recordId({ namespace, name }));
  }

  answer(result: MultiLockResult): void {
    if (this.resolveOnce(result) || !result.changed) return;
    this.commands.revertUnreceivedMultiLock(this.namespace, this.command, result.answer);
  }
}
