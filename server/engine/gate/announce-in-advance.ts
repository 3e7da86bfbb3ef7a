import type { GateState, StepsUnderWay } from '../../core/counter/counter-gate';

/** The most that is announced in advance. */
const IN_ADVANCE_MAX = 5_000;

/** From `BUSY_STEPS` between two messages on, `BUSY_FACTOR` times as much is announced. */
const BUSY_STEPS = 8;
const BUSY_FACTOR = 3;

/** For speed, the estimate may be too low by 1/`RESERVE_SHARE` of what is left. */
const RESERVE_SHARE = 1_000;

/**
 * How much to announce in advance so that steps wait less.
 *
 * @param before how much was announced last
 * @param recent the steps that have begun since the last message, beyond the reserve
 */
export function inAdvance(
  before: StepsUnderWay,
  recent: StepsUnderWay,
  recentSteps: number,
): StepsUnderWay {
  const factor = recentSteps < BUSY_STEPS ? 1 : BUSY_FACTOR;
  return {
    down: Math.min(IN_ADVANCE_MAX, Math.max(before.down, factor * recent.down)),
    up: Math.min(IN_ADVANCE_MAX, Math.max(before.up, factor * recent.up)),
  };
}

/**
 * How much may always be announced in advance, in the directions of recent steps: a small share of
 * what is left, which hardly affects the estimate.
 */
export function reserve(used: StepsUnderWay, { value, floor, ceiling }: GateState): StepsUnderWay {
  return {
    down: used.down === 0 ? 0 : share(floor === null ? null : value - floor),
    up: used.up === 0 ? 0 : share(ceiling === null ? null : ceiling - value),
  };
}

function share(left: number | null): number {
  if (left === null) return IN_ADVANCE_MAX;
  return Math.min(IN_ADVANCE_MAX, Math.max(0, Math.floor(left / RESERVE_SHARE)));
}

/** The larger distance of the two in each direction. */
export const maxSteps = (one: StepsUnderWay, other: StepsUnderWay): StepsUnderWay => ({
  down: Math.max(one.down, other.down),
  up: Math.max(one.up, other.up),
});
