import type { GateState, StepsUnderWay } from '../../core/counter/counter-gate';

/** The most that is announced in advance. */
const IN_ADVANCE_MAX = 5_000;

/** From `MANY_STEPS` between two messages on, `MANY_TIMES` as much is announced in advance. */
const MANY_STEPS = 8;
const MANY_TIMES = 3;

/** For speed, the estimate may be too low by one part in this many of what is left. */
const RESERVE_SHARE = 1_000;

/**
 * What is announced in advance where that alone makes steps wait less.
 *
 * @param recent what has begun since the last message, beyond the reserve
 */
export function inAdvance(
  before: StepsUnderWay,
  recent: StepsUnderWay,
  recentSteps: number,
): StepsUnderWay {
  const times = recentSteps < MANY_STEPS ? 1 : MANY_TIMES;
  return {
    down: Math.min(IN_ADVANCE_MAX, Math.max(before.down, times * recent.down)),
    up: Math.min(IN_ADVANCE_MAX, Math.max(before.up, times * recent.up)),
  };
}

/**
 * What may be announced in advance beyond that, in the directions in which steps go: far from a
 * bound it makes no difference to the estimate.
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

export const most = (one: StepsUnderWay, other: StepsUnderWay): StepsUnderWay => ({
  down: Math.max(one.down, other.down),
  up: Math.max(one.up, other.up),
});
