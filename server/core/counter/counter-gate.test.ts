import { describe, expect, it } from 'vitest';
import { add, counterAt, createCounter, OPERATOR } from '../testing/counter-requests';
import { requestOf } from '../testing/lock-requests';
import {
  addSteps,
  driftOf,
  type GateState,
  gateRefusal,
  givesBack,
  isAtBound,
  isNothingLeft,
  isRefusable,
  newsOf,
  stepsOf,
  subtractSteps,
} from './counter-gate';

const MOST = Number.MAX_SAFE_INTEGER;
const NONE = { down: 0, up: 0 };
const at = (value: number, floor: number | null = 0, ceiling: number | null = 10): GateState => ({
  ...counterAt(value),
  floor,
  ceiling,
});

describe('a refusal', () => {
  it('is given, as an estimate, if a step from a durable value would leave the bounds', () => {
    const reading = { state: at(3), underWay: NONE };
    const answer = { outcome: 'outOfBounds', value: 3, floor: 0, ceiling: 10, estimate: true };
    expect(gateRefusal(reading, -4)).toEqual(answer);
    expect(gateRefusal(reading, 8)).toEqual(answer);
    for (const delta of [-3, 7, 0]) expect(gateRefusal(reading, delta)).toBeNull();
  });

  it('is not given if nothing is known, no bound would be passed, or the sum is not exact', () => {
    expect(gateRefusal({ state: null, underWay: NONE }, -1)).toBeNull();
    expect(gateRefusal({ state: at(0, null), underWay: NONE }, -1)).toBeNull();
    expect(gateRefusal({ state: at(5, 0, MOST), underWay: NONE }, MOST)).toBeNull();
  });

  it('never relies on steps under way, and reports a value within the bounds', () => {
    const underWay = { down: 9, up: 2 };
    expect(gateRefusal({ state: at(3), underWay }, -3)).toBeNull();
    expect(gateRefusal({ state: at(3), underWay }, -4)).toMatchObject({ value: 0 });
    expect(gateRefusal({ state: at(3), underWay }, 8)).toMatchObject({ value: 5 });
  });

  it('is never given to a possible repeat, since its first attempt may have been applied', () => {
    expect(isRefusable(add(-1))).toBe(true);
    expect(isRefusable(add(-1, 'one'))).toBe(false);
    expect(isRefusable({ ...add(-1, 'one'), isFirst: true })).toBe(true);
    expect(isRefusable(createCounter())).toBe(false);
  });
});

it('at a bound nothing is left, whatever is under way, and the refusal says so', () => {
  expect([at(0), at(1), at(10), at(5, null, null)].map(isAtBound)).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect(isNothingLeft(at(0), -1)).toBe(true);
  for (const delta of [1, 0]) expect(isNothingLeft(at(0), delta)).toBe(false);
  expect(isNothingLeft(at(10), 1)).toBe(true);
  for (const underWay of [NONE, { down: 9, up: 9 }]) {
    expect(gateRefusal({ state: at(0), underWay }, -2)).toMatchObject({ value: 0 });
    expect(gateRefusal({ state: at(10), underWay }, 1)).toMatchObject({ value: 10 });
  }
});

describe('what a command has under way', () => {
  it('is its delta, or everything while bounds or a value are being set', () => {
    const party = { party: OPERATOR, request: requestOf('intent') };
    expect(stepsOf(add(-3))).toEqual({ down: 3, up: 0 });
    expect(stepsOf(add(3))).toEqual({ down: 0, up: 3 });
    expect(stepsOf({ verb: 'adjust', seenValue: 5, value: 2, ...party })).toEqual({
      down: 3,
      up: 0,
    });
    expect(stepsOf({ verb: 'adjustBy', delta: 4, ...party })).toEqual({ down: 0, up: 4 });
    const anyway = { verb: 'adjust', seenValue: null, value: 2, ...party } as const;
    expect(stepsOf(anyway)).toEqual({ down: MOST, up: MOST });
    const seenBounds = { floor: 0, ceiling: 9 };
    const bounds = { verb: 'setBounds', seenBounds, floor: 1, ceiling: 9, ...party } as const;
    expect(stepsOf(bounds)).toEqual({ down: MOST, up: MOST });
    expect(stepsOf(createCounter(4))).toEqual(NONE);
  });

  it('gives something back only towards a bound that exists', () => {
    expect(givesBack({ down: 1, up: 0 }, { floor: 0, ceiling: null })).toBe(false);
    expect(givesBack({ down: 0, up: 1 }, { floor: 0, ceiling: null })).toBe(true);
    expect(givesBack({ down: 1, up: 0 }, { floor: 0, ceiling: 5 })).toBe(true);
    expect(givesBack({ down: 1, up: 0 }, null)).toBe(true);
  });
});

it('only an answer with a rev updates the gate, and no answer proves bounds', () => {
  expect(newsOf({ outcome: 'applied', value: 4, rev: 9 })).toEqual({ rev: 9, value: 4 });
  expect(newsOf({ outcome: 'outOfBounds', value: 0, floor: 0, ceiling: null })).toBeNull();
  const rebound = { outcome: 'rebound', rev: 9, value: 4, floor: 1, ceiling: 5 } as const;
  expect(newsOf(rebound)).toEqual({ rev: 9, value: 4 });
});

it('drift is shown where it can be known, and none is invented while a counter changes', () => {
  const of = (rev: number, value: number) => ({ ...at(value), rev });
  expect(driftOf(of(5, 3), of(5, 3), of(5, 3))).toBe(0);
  expect(driftOf(of(5, 4), of(5, 3), of(5, 4))).toBe(1);
  expect(driftOf(of(4, 9), of(5, 3), of(4, 9))).toBe(6);
  expect(driftOf(of(4, 9), of(5, 3), of(5, 3))).toBe(0);
  expect(driftOf(of(4, 9), of(5, 3), of(4, 9), { down: 6, up: 0 })).toBe(0);
  expect(driftOf(of(4, 9), of(5, 3), of(4, 9), { down: 5, up: 9 })).toBe(6);
  expect(driftOf(of(5, 9), of(5, 3), of(5, 9), { down: 6, up: 0 })).toBe(6);
  expect(driftOf(of(4, 9), of(5, 3), of(6, 2))).toBeNull();
  expect(driftOf(of(9, 9), of(5, 3), of(9, 9))).toBe(6);
  expect(driftOf(null, of(5, 3), null)).toBeNull();
});

describe('steps under way', () => {
  it('are added, and subtracted down to none, in each direction by itself', () => {
    const sum = addSteps({ down: 3, up: 1 }, { down: 2, up: 4 });
    expect(sum).toEqual({ down: 5, up: 5 });
    expect(subtractSteps(sum, { down: 2, up: 9 })).toEqual({ down: 3, up: 0 });
  });
});
