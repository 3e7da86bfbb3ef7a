import type {
  CounterAddAnswer,
  CounterCreateAnswer,
  CounterGetAnswer,
  CounterView,
  OutOfBounds,
} from '../../contract/counter';
import type { Bounds } from '../../contract/counter-bounds';
import type { OperatorAct } from '../lock/lock-event';
import type { RequestIdentity } from '../request-fingerprint';

/** A service that changes a counter. */
interface ServiceParty {
  service: string;
}

/** The party that changes a counter: a service, or a person with a reason. */
export type CounterParty = ServiceParty | OperatorAct;

export interface CreateCommand extends Bounds {
  verb: 'create';
  initial: number;
  party: CounterParty;
  /** Operators' actions always have one, so that an interrupted action can be looked up. */
  request: RequestIdentity | null;
  /** From this instant of the backend's clock the action must not be applied; absent: no limit. */
  latestAt?: number;
}

/** Adds `delta`, whole or not at all. */
export interface AddCommand {
  verb: 'add';
  delta: number;
  party: ServiceParty;
  request: RequestIdentity | null;
  /** True: the caller states that its request id was never used before. */
  isFirst?: boolean;
}

/** An operator's action, which the audit log contains before it runs. */
interface OperatorCommand {
  party: OperatorAct;
  /** Made from the audit entry, so that the outcome of an interrupted action can be looked up. */
  request: RequestIdentity;
  /** From this instant of the backend's clock the action must not be applied; absent: no limit. */
  latestAt?: number;
}

/** Sets the value if it is still the one that the operator saw; `seenValue` null: in any case. */
export interface AdjustCommand extends OperatorCommand {
  verb: 'adjust';
  seenValue: number | null;
  value: number;
}

/** An operator's step: adds `delta` to the present value, whole or not at all. */
export interface AdjustByCommand extends OperatorCommand {
  verb: 'adjustBy';
  delta: number;
}

/** Sets the bounds, if they are still those that the operator saw. */
export interface SetBoundsCommand extends OperatorCommand, Bounds {
  verb: 'setBounds';
  seenBounds: Bounds;
}

export interface GetCommand {
  verb: 'get';
}

export type CounterCommand =
  | CreateCommand
  | AddCommand
  | AdjustCommand
  | AdjustByCommand
  | SetBoundsCommand
  | GetCommand;

/** The counter is no longer as the operator saw it. Nothing was changed. */
interface CounterChanged extends CounterView {
  outcome: 'changed';
  rev: number;
}

/** The bounds were set; these are the new ones. */
interface Rebound extends CounterView {
  outcome: 'rebound';
  rev: number;
}

/** `was`: the value before. */
type Adjusted = { outcome: 'adjusted'; was: number; value: number; delta: number; rev: number };

export type AdjustAnswer = Adjusted | OutOfBounds | CounterChanged;

export type AdjustByAnswer = Adjusted | OutOfBounds;

export type SetBoundsAnswer = Rebound | OutOfBounds | CounterChanged;

/** The answer to each verb. */
export interface CounterAnswers {
  create: CounterCreateAnswer;
  add: CounterAddAnswer;
  adjust: AdjustAnswer;
  adjustBy: AdjustByAnswer;
  setBounds: SetBoundsAnswer;
  get: CounterGetAnswer;
}

export type CounterAnswerOf<C extends CounterCommand> = CounterAnswers[C['verb']];
