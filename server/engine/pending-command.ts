import type { LockyardError } from '../contract/errors';
import type { RecordKey } from '../storage/record-store';
import type { AnyCommand } from './record-type';

/** A command on its way through the lane. */
export interface PendingCommand {
  key: RecordKey;
  /** `recordId(key)`. */
  id: string;
  command: AnyCommand;
  /** When its time budget is over, on the monotonic clock. */
  dueAt: number;
  /** The answer may rest on a record read from now on only, not on a remembered one. */
  mustRead: boolean;
  /** Shared by every copy of this command. */
  progress: Progress;
  /** @param changed whether this very command changed the record; a replay did not */
  answer(answer: unknown, changed: boolean): void;
  /** Tells the caller; `UNKNOWN` where the error would deny what may stand. */
  refuse(error: LockyardError): void;
}

export interface Progress {
  /** Its caller was answered: it must not be decided any more. */
  isAnswered: boolean;
  /** A swap with its change is under way, or its outcome is unknown: it may have been applied. */
  mayBeApplied: boolean;
}

/** The key under which this command's answer may be remembered, if its caller gave it an id. */
export function idempotencyKey(command: AnyCommand): string | null {
  if (!('request' in command) || command.verb === 'cancel') return null;
  return command.request?.remembered ? command.request.key : null;
}

/** Verbs that only look: a remembered record can tell them nothing. */
export function isReadOnly({ verb }: AnyCommand): boolean {
  return verb === 'inspect' || verb === 'check' || verb === 'get';
}

/** The same command, to be decided from a record that is read from now on. */
export function retryWithRead(pending: PendingCommand): PendingCommand {
  return { ...pending, mustRead: true };
}
