import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  EPOCH_MAX,
  lowestFutureToken,
  nextToken,
  restoredToken,
  sinceEra,
  startsAboveFrom,
  TOKEN_ERA_AT,
} from './fencing-token';
import { isLate, leaseFloorMs } from './lock/hold-lifecycle';
import { RUNS } from './testing/property-runs';

const COUNTERS = 2 ** 41;
const epochs = fc.integer({ min: 1, max: EPOCH_MAX });
const clocks = fc.integer({ min: TOKEN_ERA_AT + 1, max: TOKEN_ERA_AT + COUNTERS - 1 });
const tokens = fc
  .tuple(epochs, fc.integer({ min: 1, max: COUNTERS - 2 }))
  .map(([epoch, counter]) => epoch * COUNTERS + counter);

describe('a fencing token', () => {
  it('is greater than the one before it, whatever the epoch and the clock', () => {
    fc.assert(
      fc.property(tokens, epochs, clocks, (last, epoch, now) => {
        fc.pre(last < Number.MAX_SAFE_INTEGER);
        const next = nextToken(last, epoch, now);
        expect(next).toBeGreaterThan(last);
        expect(Number.isSafeInteger(next)).toBe(true);
      }),
      RUNS,
    );
  });

  it('is in the range of its epoch, above every token of earlier epochs', () => {
    fc.assert(
      fc.property(tokens, epochs, clocks, (last, epoch, now) => {
        fc.pre(last < epoch * COUNTERS);
        const first = nextToken(last, epoch, now);
        expect(Math.floor(first / COUNTERS)).toBe(epoch);
      }),
      RUNS,
    );
  });

  it('of a deleted record starts above all earlier ones, if under one a ms were granted', () => {
    fc.assert(
      fc.property(clocks, fc.integer({ min: 0, max: 10 ** 9 }), epochs, (now, grants, epoch) => {
        fc.pre(sinceEra(now) + grants + 1 < COUNTERS);
        const before = epoch * COUNTERS + sinceEra(now) + grants;
        expect(nextToken(0, epoch, now + grants + 1)).toBeGreaterThan(before);
      }),
      RUNS,
    );
  });

  it('is exact up to the largest possible one, and refused beyond it', () => {
    const last = Number.MAX_SAFE_INTEGER;
    expect(nextToken(last - 1, EPOCH_MAX, TOKEN_ERA_AT)).toBe(last);
    const beyond = () => nextToken(last, EPOCH_MAX, TOKEN_ERA_AT);
    expect(beyond).toThrow(expect.objectContaining({ reason: 'UNSUPPORTED' }));
    const noSuchEpoch = () => nextToken(0, EPOCH_MAX + 1, TOKEN_ERA_AT);
    expect(noSuchEpoch).toThrow(expect.objectContaining({ reason: 'UNSUPPORTED' }));
  });

  it('is refused when its epoch has none left, and the refusal says what to do', () => {
    const last = 2 * COUNTERS - 1;
    expect(nextToken(last - 1, 1, TOKEN_ERA_AT)).toBe(last);
    const beyond = () => nextToken(last, 1, TOKEN_ERA_AT);
    const message = expect.stringContaining('restore');
    expect(beyond).toThrow(expect.objectContaining({ reason: 'UNSUPPORTED', message }));
    expect(lowestFutureToken(last, 1, TOKEN_ERA_AT)).toBeGreaterThan(last);
  });

  it('is available in the next epoch, where it starts from the clock', () => {
    const now = TOKEN_ERA_AT + 1_000;
    expect(nextToken(2 * COUNTERS - 1, 2, now)).toBe(2 * COUNTERS + 1_000);
  });

  it('is available again after a restore', () => {
    const last = 2 * COUNTERS - 1;
    const now = TOKEN_ERA_AT + 1_000;
    expect(nextToken(restoredToken(last, 2, now), 2, now)).toBe(2 * COUNTERS + 1_001);
  });

  it('of a lock never granted is not below the announced minimum, even on an earlier clock', () => {
    const late = fc.integer({ min: 0, max: 5_000 });
    fc.assert(
      fc.property(clocks, epochs, late, (now, epoch, lateMs) => {
        const announced = lowestFutureToken(0, epoch, now);
        expect(nextToken(0, epoch, now - lateMs)).toBeGreaterThanOrEqual(announced);
      }),
      RUNS,
    );
  });

  it('of a deleted record is below the minimum announced after the deletion', () => {
    fc.assert(
      fc.property(tokens, epochs, (last, epoch) => {
        fc.pre(Math.floor(last / COUNTERS) <= epoch);
        const deletedAt = startsAboveFrom(1, last, epoch);
        expect(lowestFutureToken(0, epoch, deletedAt)).toBeGreaterThan(last);
      }),
      RUNS,
    );
  });

  it('is positive even if the clock is before 2025', () => {
    expect(sinceEra(0)).toBe(1);
    expect(nextToken(0, 1, 0)).toBe(COUNTERS + 1);
  });
});

describe('the lease floor', () => {
  it('is a tenth of the lease, and at least 50 ms', () => {
    expect(leaseFloorMs(100)).toBe(50);
    expect(leaseFloorMs(500)).toBe(50);
    expect(leaseFloorMs(10_000)).toBe(1_000);
  });

  it('is sufficient at exactly its value', () => {
    expect(isLate(10_000, 1_000)).toBe(false);
    expect(isLate(10_000, 999)).toBe(true);
    expect(isLate(100, 49)).toBe(true);
  });
});
