import type { CancelAnswer } from '../../contract/lock/answers';
import type { AcquireManyAnswer } from '../../contract/multi-lock';
import type { Meta, Mode } from '../../contract/primitives';
import type { PolicyBreach } from '../lock/check-policy';
import { traceOf } from '../lock/hold-lifecycle';
import type { AcquireCommand } from '../lock/lock-command';
import type { RequestIdentity } from '../request-fingerprint';

/** The mode of one of its locks: a multi-lock takes no permits. */
export type MultiLockMode = Exclude<Mode, 'permit'>;

/** One lock of a multi-lock, and its mode. */
export interface RequestedLock {
  name: string;
  mode: MultiLockMode;
}

/** Takes several locks of one namespace, all or none. */
export interface AcquireMultiLockCommand {
  verb: 'acquireSet';
  service: string;
  owner: string;
  /** At least two, with different names. */
  locks: RequestedLock[];
  leaseMs: number;
  /** The longest wait over all requests with this id; 0 never queues. */
  waitMs: number;
  meta: Meta;
  request: RequestIdentity;
  /** As for a single acquire. */
  traceparent?: string;
  /** As for a single acquire, for each of the locks. */
  holdAtLeastMs?: number;
  /** As for a single acquire. */
  outsidePolicy?: PolicyBreach | null;
}

/** Ends the wait of a multi-lock that timed out. The answer is `granted` if that came first. */
export type GiveUpMultiLockCommand = Omit<AcquireMultiLockCommand, 'verb'> & { verb: 'giveUpSet' };

/** Undoes an acquire of a multi-lock, whether it is still queued or already granted. */
export interface CancelMultiLockCommand {
  verb: 'cancelSet';
  service: string;
  owner: string;
  names: string[];
  /** The identity of the acquire to undo. */
  request: RequestIdentity;
}

/** Reverts a grant that came too late to be answered, unless a repeat can still receive it. */
export interface RevertMultiLockCommand {
  verb: 'revertSet';
  holds: { name: string; token: number }[];
  /** The identity of the revert itself: see `RevertGrantCommand`. */
  request: RequestIdentity;
}

export type MultiLockCommand =
  | AcquireMultiLockCommand
  | GiveUpMultiLockCommand
  | CancelMultiLockCommand
  | RevertMultiLockCommand;

/** The answer to each verb. */
interface MultiLockAnswers {
  acquireSet: AcquireManyAnswer;
  giveUpSet: AcquireManyAnswer;
  cancelSet: CancelAnswer;
  revertSet: { outcome: 'reverted' | 'gone' };
}

export type MultiLockAnswerOf<C extends MultiLockCommand> = MultiLockAnswers[C['verb']];

/** The answer to any of these commands. */
export type MultiLockAnswer = MultiLockAnswerOf<MultiLockCommand>;

const MULTI_LOCK_ID_CHARS = 11;

/** The names of the locks that a command concerns, in the same order in every process. */
export function namesOf(command: MultiLockCommand): string[] {
  return namesIn(command).sort((a, b) => (a < b ? -1 : 1));
}

function namesIn(command: MultiLockCommand): string[] {
  if (command.verb === 'cancelSet') return [...command.names];
  const members = command.verb === 'revertSet' ? command.holds : command.locks;
  return members.map(({ name }) => name);
}

/** A multi-lock's acquire for one of its locks. */
export function memberCommand(
  command: AcquireMultiLockCommand | GiveUpMultiLockCommand,
  mode: MultiLockMode,
): AcquireCommand {
  const { service, owner, leaseMs, waitMs, meta, request, locks, holdAtLeastMs } = command;
  const set = { id: request.key.slice(0, MULTI_LOCK_ID_CHARS), size: locks.length };
  const asked = { service, owner, leaseMs, waitMs, mode, reentrant: false, meta, request };
  const ask: AcquireCommand = { verb: 'acquire', ...asked, ...traceOf(command), set };
  return holdAtLeastMs === undefined ? ask : { ...ask, holdAtLeastMs };
}
