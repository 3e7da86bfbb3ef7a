import type { OutOfBounds } from '../../contract/counter';
import type { Bounds } from '../../contract/counter-bounds';
import type { CounterAnswers, CounterCommand } from './counter-command';

/**
 * What a gate knows about a counter. A gate is a Redis in front of MySQL that can refuse a
 * counter's step early and never grants one. It only keeps the newest version of what it is sent.
 *
 * - A refusal rests on a value that was durable. It is wrong only if a later commit gave something
 *   back that the gate has not received yet, which a read of MySQL repairs in time.
 * - The estimate of what is left is that value less all steps under way that may lower it. Each is
 *   announced before MySQL is asked and withdrawn with its outcome, so the estimate is never above
 *   what is really left: it rises only after a commit that gave something back.
 */
export interface GateState extends Bounds {
  /** The version of the value: the counter's rev. */
  rev: number;
  value: number;
}

/** How far steps under way can move the value down and up at most: two distances, 0 or more. */
export interface StepsUnderWay {
  down: number;
  up: number;
}

/** A gate's answer about a counter. */
export interface GateReading {
  /** Null: the gate has no state that is recent enough for a refusal. */
  state: GateState | null;
  /** The steps under way of all processes. */
  underWay: StepsUnderWay;
}

/** What MySQL has answered about a counter. A later rev replaces an earlier one. */
export interface GateNews {
  rev: number;
  value: number;
  /** Absent: the answer to a command, not a read of the record. */
  reading?: DurableReading;
}

/** What only a read of the record shows. */
export interface DurableReading extends Bounds {
  /** The gate's clock before the read began: the value was durable then or later. */
  asOf: number;
  /** The gate's rev at that time; null: it had none. MySQL's rev replaces it even if lower. */
  gateRev: number | null;
}

export const NOTHING_UNDER_WAY: StepsUnderWay = { down: 0, up: 0 };

/** A distance beyond any that a value can move. */
const ANYWHERE = Number.MAX_SAFE_INTEGER;

/**
 * Whether a gate may refuse this command at all. It must not refuse a possible repeat, which has a
 * request id: if the first attempt was applied, the answer is `applied`.
 */
export function isRefusable(command: CounterCommand): boolean {
  return command.verb === 'add' && (!command.request?.remembered || command.isFirst === true);
}

/** How far a command can move the value, or a bound towards it, once MySQL is asked. */
export function stepsOf(command: CounterCommand): StepsUnderWay {
  switch (command.verb) {
    case 'add':
      return moveBy(command.delta);
    case 'adjustBy':
      return moveBy(command.delta);
    case 'adjust':
      if (command.seenValue === null) return { down: ANYWHERE, up: ANYWHERE };
      return moveBy(command.value - command.seenValue);
    case 'setBounds':
      return { down: ANYWHERE, up: ANYWHERE };
    default:
      return NOTHING_UNDER_WAY;
  }
}

function moveBy(delta: number): StepsUnderWay {
  return { down: Math.max(0, -delta), up: Math.max(0, delta) };
}

/** The sum in each direction. */
export function addSteps(one: StepsUnderWay, other: StepsUnderWay): StepsUnderWay {
  return { down: one.down + other.down, up: one.up + other.up };
}

/** The difference in each direction, at least 0. */
export function subtractSteps(one: StepsUnderWay, other: StepsUnderWay): StepsUnderWay {
  return { down: Math.max(0, one.down - other.down), up: Math.max(0, one.up - other.up) };
}

/**
 * The gate's refusal of this step; null: MySQL decides, also if the sum would not be exact.
 */
export function gateRefusal({ state, underWay }: GateReading, delta: number): OutOfBounds | null {
  if (!state || !leavesBounds(state, delta)) return null;
  const { floor, ceiling } = state;
  const estimated = estimatedValues({ state, underWay });
  const value = delta < 0 ? estimated.low : estimated.high;
  return { outcome: 'outOfBounds', value, floor, ceiling, estimate: true };
}

/**
 * Whether nothing is left in the direction of this step. Then its refusal depends on the state
 * alone, not on steps under way: it is valid as long as the gate's state does not change.
 */
export function isNothingLeft({ value, floor, ceiling }: GateState, delta: number): boolean {
  if (delta < 0) return floor !== null && value <= floor;
  return delta > 0 && ceiling !== null && value >= ceiling;
}

/** Whether nothing is left in some direction. */
export function isAtBound(state: GateState): boolean {
  return isNothingLeft(state, -1) || isNothingLeft(state, 1);
}

/** Whether a step from this durable value certainly leaves the bounds. */
export function leavesBounds({ value, floor, ceiling }: GateState, delta: number): boolean {
  const sum = value + delta;
  if (!Number.isSafeInteger(sum)) return false;
  return delta < 0 ? floor !== null && sum < floor : ceiling !== null && sum > ceiling;
}

/**
 * The lowest and the highest possible present value, within the bounds. `low` is never further
 * above the floor than the true value is, and `high` never further below the ceiling.
 */
export function estimatedValues({
  state,
  underWay,
}: {
  state: GateState;
  underWay: StepsUnderWay;
}): { low: number; high: number } {
  const { value, floor, ceiling } = state;
  return {
    low: Math.max(floor ?? -ANYWHERE, value - underWay.down),
    high: Math.min(ceiling ?? ANYWHERE, value + underWay.up),
  };
}

/**
 * What an answer of MySQL proves about the value; null: nothing, since the answer has no rev. It
 * does not prove the bounds, since it can be the answer to an earlier attempt; only a read does.
 */
export function newsOf(answer: CounterAnswers[keyof CounterAnswers]): GateNews | null {
  if (!('rev' in answer)) return null;
  const { rev, value } = answer;
  return { rev, value };
}

/** Whether these steps give something back towards a bound, as far as the bounds are known. */
export function givesBack({ down, up }: StepsUnderWay, bounds: Bounds | null): boolean {
  if (!bounds) return down + up > 0;
  return (down > 0 && bounds.ceiling !== null) || (up > 0 && bounds.floor !== null);
}

/**
 * By how much a gate's value differs from MySQL's; null: unknown. The gate is asked before and
 * after the read of MySQL, since the counter may change meanwhile. Steps that the gate counts as
 * under way are no difference: it receives their outcome later.
 */
export function driftOf(
  before: GateState | null,
  durable: GateState,
  after: GateState | null,
  underWay: StepsUnderWay = NOTHING_UNDER_WAY,
): number | null {
  if (before && before.rev > durable.rev) return before.value - durable.value;
  if (!after || after.rev > durable.rev) return null;
  const ahead = after.value - durable.value;
  const isUnderWay = after.rev < durable.rev && -underWay.up <= ahead && ahead <= underWay.down;
  return isUnderWay ? 0 : ahead;
}
