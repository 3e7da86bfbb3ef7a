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
  over: boolean;
  /** A swap with its change is under way, or its outcome is unknown: it may have been applied. */
  mayStand: boolean;
}

/** The key under which this command's answer may be remembered, if its caller gave it an id. */
export function memoKey(command: AnyCommand): string | null {
  if (!('request' in command) || command.verb === 'cancel') return null;
  return command.request?.remembered ? command.request.key : null;
}

/** Verbs that only look: a remembered record can tell them nothing. */
export function onlyLooks({ verb }: AnyCommand): boolean {
  return verb === 'inspect' || verb === 'check' || verb === 'get';
}
