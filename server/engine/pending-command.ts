import { recordId } from '../storage/record-id';
import type { RecordKey } from '../storage/record-store';
import type { CommandQueue, CommandResult } from './command-queue';
import { PendingReply } from './pending-reply';
import type { AnyCommand } from './record-type';

/** A command on one record on its way through the batcher. */
export class PendingCommand extends PendingReply<CommandResult> {
  /** `recordId(key)`. */
  readonly id: string;
  /** The answer may rest on a record read from now on only, not on a cached one. */
  mustRead = false;

  constructor(
    private readonly commands: CommandQueue,
    readonly key: RecordKey,
    readonly command: AnyCommand,
    ...reply: ConstructorParameters<typeof PendingReply<CommandResult>>
  ) {
    super(...reply);
    this.id = recordId(key);
  }

  /** @param changed whether this very command changed the record; a replay did not */
  answer(answer: unknown, changed: boolean): void {
    const isReceived = this.resolveOnce({ answer, changed });
    if (!isReceived && changed) this.commands.revertUnreceived(this.key, this.command, answer);
  }
}

/** The key under which this command's answer may be remembered, if its caller gave it an id. */
export function idempotencyKey(command: AnyCommand): string | null {
  if (!('request' in command) || command.verb === 'cancel') return null;
  return command.request?.remembered ? command.request.key : null;
}

/** Verbs that change nothing: a cached record is no basis for their answer. */
export function isReadOnly({ verb }: AnyCommand): boolean {
  return verb === 'inspect' || verb === 'check' || verb === 'get';
}
