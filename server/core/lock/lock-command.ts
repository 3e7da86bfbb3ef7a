import type {
  ExtendAnswer,
  ForceReleaseAnswer,
  FreezeAnswer,
  ReassignAnswer,
  ReleaseRequestAnswer,
  SetCapacityAnswer,
} from '../../contract/console/operator-answers';
import type {
  AcquireAnswer,
  CancelAnswer,
  CheckAnswer,
  InspectAnswer,
  ReleaseAnswer,
  RenewAnswer,
} from '../../contract/lock/answers';
import type { Meta, Mode, MultiLockMark } from '../../contract/primitives';
import type { RequestIdentity } from '../request-fingerprint';
import type { PolicyBreach } from './check-policy';
import type { OperatorAct } from './lock-event';

export interface AcquireCommand {
  verb: 'acquire';
  service: string;
  owner: string;
  leaseMs: number;
  /** The longest wait over all requests with this id; 0 never queues. */
  waitMs: number;
  mode: Mode;
  /** How many permits, in mode permit only. */
  permits?: number;
  /** How many permits may be held at the same time, in mode permit only; at least `permits`. */
  capacity?: number;
  reentrant: boolean;
  meta: Meta;
  request: RequestIdentity;
  /** The trace that the hold belongs to. Not part of the request's identity. */
  traceparent?: string;
  /** How long the lock stays taken, even if it is released sooner; at most `leaseMs`. */
  holdAtLeastMs?: number;
  /** Part of a multi-lock: `decideMultiLock` grants it together with the others, or not at all. */
  set?: MultiLockMark;
  /**
   * Why the namespace's policy does not allow it. A new request is refused with this; one that was
   * answered before, that is queued, or that was queued and lost its place, is treated as if the
   * policy allowed it.
   */
  outsidePolicy?: PolicyBreach | null;
}

/** Removes a waiter that timed out from the queue. Answers `granted` if the grant came first. */
export interface GiveUpCommand {
  verb: 'giveUp';
  request: RequestIdentity;
}

/** Keeps a waiter's place briefly after its request ends. `granted` if the grant came first. */
export interface DetachCommand {
  verb: 'detach';
  request: RequestIdentity;
  /** Its only caller hung up: a grant that came first is also kept only for this short time. */
  hungUp?: boolean;
  /** Its caller was refused: neither is kept, and the lock goes to the next waiter immediately. */
  isRefused?: boolean;
}

export interface CancelCommand {
  verb: 'cancel';
  service: string;
  owner: string;
  /** The identity of the acquire to undo. */
  request: RequestIdentity;
}

export interface RenewCommand {
  verb: 'renew';
  service: string;
  owner: string;
  token: number;
  leaseMs: number;
}

export interface ReleaseCommand {
  verb: 'release';
  service: string;
  owner: string;
  token: number;
  request: RequestIdentity | null;
}

/** Reverts a grant that came too late to be answered, unless a repeat can still receive it. */
export interface RevertGrantCommand {
  verb: 'revertGrant';
  token: number;
  /** The identity of the revert itself: a repeat with it removes no second entry of the hold. */
  request: RequestIdentity | null;
}

/** An operator's action, which the audit log contains before it runs. */
interface OperatorCommand extends OperatorAct {
  /** Made from the audit entry, so that the outcome of an interrupted action can be looked up. */
  request: RequestIdentity;
  /** From this instant of the backend's clock the action must not be applied; absent: no limit. */
  latestAt?: number;
}

export interface ForceReleaseCommand extends OperatorCommand {
  verb: 'forceRelease';
  /** The hold that the operator saw. */
  token: number;
}

/** Ends one hold and grants the lock to one waiter, whatever its place in the queue. */
export interface ReassignCommand extends OperatorCommand {
  verb: 'reassign';
  /** The hold that the operator saw. */
  token: number;
  /** The waiter that the operator chose. */
  ticket: number;
}

export interface ExtendCommand extends OperatorCommand {
  verb: 'extend';
  /** The hold that the operator saw. */
  token: number;
  extendMs: number;
}

/** A message for the holder that the operator saw, delivered with its next renewal. */
export interface ReleaseRequestCommand extends OperatorCommand {
  verb: 'askRelease' | 'stopRenewals';
  token: number;
}

/** Stops new grants, or allows them again. */
export interface FreezeCommand extends OperatorCommand {
  verb: 'freeze' | 'unfreeze';
  /** To unfreeze: when the freeze that the operator saw began; absent: lifts any freeze. */
  seenAt?: number | undefined;
}

/** Changes how many permits may be held at the same time, of a lock that has a capacity. */
export interface SetCapacityCommand extends OperatorCommand {
  verb: 'setCapacity';
  /** The capacity in force that the operator saw. */
  seen: number;
  capacity: number;
}

/** Does nothing but `expireAndPromote`. */
export interface ExpireAndPromoteCommand {
  verb: 'expireAndPromote';
}

export interface InspectCommand {
  verb: 'inspect';
  /** The service that asks, which sees the traces of its own holds; absent: shows no traces. */
  service?: string;
}

export interface CheckCommand {
  verb: 'check';
  token: number;
}

/** The answer to each verb. */
export interface LockAnswers {
  acquire: AcquireAnswer;
  giveUp: AcquireAnswer;
  detach: AcquireAnswer;
  cancel: CancelAnswer;
  renew: RenewAnswer;
  release: ReleaseAnswer;
  revertGrant: { outcome: 'reverted' | 'kept' | 'gone' };
  forceRelease: ForceReleaseAnswer;
  reassign: ReassignAnswer;
  extend: ExtendAnswer;
  askRelease: ReleaseRequestAnswer;
  stopRenewals: ReleaseRequestAnswer;
  freeze: FreezeAnswer;
  unfreeze: FreezeAnswer;
  setCapacity: SetCapacityAnswer;
  expireAndPromote: { outcome: 'done' };
  inspect: InspectAnswer;
  check: CheckAnswer;
}

export type LockCommand =
  | AcquireCommand
  | GiveUpCommand
  | DetachCommand
  | CancelCommand
  | RenewCommand
  | ReleaseCommand
  | RevertGrantCommand
  | ForceReleaseCommand
  | ReassignCommand
  | ExtendCommand
  | ReleaseRequestCommand
  | FreezeCommand
  | SetCapacityCommand
  | ExpireAndPromoteCommand
  | InspectCommand
  | CheckCommand;

export type AnswerOf<C extends LockCommand> = LockAnswers[C['verb']];
