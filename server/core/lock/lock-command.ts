import type {
  AcquireAnswer,
  CancelAnswer,
  CheckAnswer,
  ExtendAnswer,
  ForceReleaseAnswer,
  FreezeAnswer,
  InspectAnswer,
  NoticeAnswer,
  ReleaseAnswer,
  RenewAnswer,
} from '../../contract/lock/answers';
import type { RequestIdentity } from '../request-tag';
import type { Meta, Mode, SetMark } from './lock-record';

export interface AcquireCommand {
  verb: 'acquire';
  service: string;
  owner: string;
  leaseMs: number;
  /** The whole patience; 0 never queues. */
  waitMs: number;
  mode: Mode;
  reentrant: boolean;
  meta: Meta;
  request: RequestIdentity;
  /** Part of a set: it is granted with all of that, or not at all, by `decideSet` alone. */
  set?: SetMark;
  /**
   * Why the namespace's policy does not allow it, as a sentence. Then it is refused if it is new; one that was answered
   * before, or that waits already, fares as it would without.
   */
  outsidePolicy?: string | null;
}

/** Takes a waiter out of the queue because its patience is over. Answers `granted` if that came first. */
export interface GiveUpCommand {
  verb: 'giveUp';
  request: RequestIdentity;
}

/** Keeps a waiter's place for a moment though its request ends. Answers `granted` if that came first. */
export interface DetachCommand {
  verb: 'detach';
  request: RequestIdentity;
  /** Its only caller hung up: then a grant that came first is kept for no longer either. */
  hungUp?: boolean;
}

export interface CancelCommand {
  verb: 'cancel';
  service: string;
  owner: string;
  /** The identity of the acquire that is to be undone. */
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

/** Undoes a grant that nobody heard of in time, unless a request id may still be told of it. */
export interface WithdrawCommand {
  verb: 'withdraw';
  token: number;
}

export interface ForceReleaseCommand {
  verb: 'forceRelease';
  /** The hold that the operator saw. */
  token: number;
  by: string;
  reason: string;
  /** Made from its audit entry, so that the outcome of an interrupted act can be found out. */
  request: RequestIdentity;
  /** The instant of the backend's clock from which on nothing of this act may land; absent: none. */
  latestAt?: number;
}

export interface ExtendCommand {
  verb: 'extend';
  /** The hold that the operator saw. */
  token: number;
  extendMs: number;
  by: string;
  reason: string;
  request: RequestIdentity;
  latestAt?: number;
}

/** Tells the holder that the operator saw something; it learns it at its next renewal. */
export interface NoticeCommand {
  verb: 'askRelease' | 'stopRenewals';
  token: number;
  by: string;
  reason: string;
  request: RequestIdentity;
  latestAt?: number;
}

/** Stops new grants, or allows them again. */
export interface FreezeCommand {
  verb: 'freeze' | 'unfreeze';
  by: string;
  reason: string;
  request: RequestIdentity;
  latestAt?: number;
}

/** Does what time has made due, and nothing else. */
export interface SettleCommand {
  verb: 'settle';
}

export interface InspectCommand {
  verb: 'inspect';
}

export interface CheckCommand {
  verb: 'check';
  token: number;
}

/** Answers of every verb. */
export interface LockAnswers {
  acquire: AcquireAnswer;
  giveUp: AcquireAnswer;
  detach: AcquireAnswer;
  cancel: CancelAnswer;
  renew: RenewAnswer;
  release: ReleaseAnswer;
  withdraw: { outcome: 'withdrawn' | 'kept' | 'gone' };
  forceRelease: ForceReleaseAnswer;
  extend: ExtendAnswer;
  askRelease: NoticeAnswer;
  stopRenewals: NoticeAnswer;
  freeze: FreezeAnswer;
  unfreeze: FreezeAnswer;
  settle: { outcome: 'settled' };
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
  | WithdrawCommand
  | ForceReleaseCommand
  | ExtendCommand
  | NoticeCommand
  | FreezeCommand
  | SettleCommand
  | InspectCommand
  | CheckCommand;

export type AnswerOf<C extends LockCommand> = LockAnswers[C['verb']];
