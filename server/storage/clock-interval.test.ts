import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClockInterval } from './clock-interval';

/** How much faster or slower than ours the other clock may run. */
const rate = fc.double({ min: -0.000_9, max: 0.000_9, noNaN: true });
const wait = fc.double({ min: 0, max: 5_000, noNaN: true });
const measurement = fc.record({ pauseMs: wait, thereMs: wait, backMs: wait });

/** The true readings of a remote clock and of our own. */
class World {
  at = 1_000;
  constructor(
    private offset: number,
    private readonly rateOff: number,
  ) {}

  shown(): number {
    return this.at * (1 + this.rateOff) + this.offset;
  }

  pass(ms: number): void {
    this.at += ms;
  }

  set(byMs: number): void {
    this.offset += byMs;
  }
}

function measure(clock: ClockInterval, world: World, step: { thereMs: number; backMs: number }) {
  const sentAt = world.at;
  world.pass(step.thereMs);
  const shown = Math.floor(world.shown());
  world.pass(step.backMs);
  clock.measure(shown, sentAt, world.at);
}

function expectTruth(clock: ClockInterval, world: World): void {
  const interval = clock.at(world.at);
  // The rounding error of a sum of such numbers.
  const rounding = 0.001;
  expect(interval?.earliest).toBeLessThanOrEqual(world.shown() + rounding);
  expect(interval?.latest).toBeGreaterThan(world.shown() - rounding);
}

describe("the interval known for another machine's clock", () => {
  it('always contains the true time, however slow requests and replies are', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2_000_000_000_000 }),
        rate,
        fc.array(measurement, { minLength: 1, maxLength: 20 }),
        (offset, rateOff, steps) => {
          const world = new World(offset, rateOff);
          const clock = new ClockInterval();
          for (const step of steps) {
            measure(clock, world, step);
            expectTruth(clock, world);
            world.pass(step.pauseMs);
            expectTruth(clock, world);
          }
        },
      ),
    );
  });

  it('contains it again at the next measurement after it was set beyond the uncertainty', () => {
    fc.assert(
      fc.property(
        fc.array(measurement, { minLength: 1, maxLength: 5 }),
        fc.constantFrom(-1, 1),
        fc.integer({ min: 50_000, max: 10_000_000 }),
        measurement,
        (steps, sign, byMs, next) => {
          const world = new World(1_000_000_000_000, 0);
          const clock = new ClockInterval();
          for (const step of steps) measure(clock, world, step);
          world.set(sign * byMs);
          measure(clock, world, next);
          expectTruth(clock, world);
        },
      ),
    );
  });

  it('is never wider after a measurement than that measurement alone', () => {
    fc.assert(
      fc.property(fc.array(measurement, { minLength: 1, maxLength: 10 }), (steps) => {
        const world = new World(5_000_000, 0);
        const clock = new ClockInterval();
        for (const step of steps) {
          measure(clock, world, step);
          const { earliest = 0, latest = 0 } = clock.at(world.at) ?? {};
          const tookMs = step.thereMs + step.backMs;
          expect(latest - earliest).toBeLessThanOrEqual(tookMs * 1.001 + 1.001);
          world.pass(step.pauseMs);
        }
      }),
    );
  });

  it('stays true, and never begins earlier, after what is known to be its least', () => {
    const steps = fc.array(fc.tuple(measurement, wait), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(rate, steps, (rateOff, lookedAt) => {
        const world = new World(5_000_000, rateOff);
        const clock = new ClockInterval();
        for (const [step, laterMs] of lookedAt) {
          measure(clock, world, step);
          const seen = world.shown() - 0.01;
          world.pass(laterMs);
          const before = clock.at(world.at)?.earliest ?? Number.NaN;
          clock.raise(seen, world.at);
          expectTruth(clock, world);
          const { earliest = Number.NaN } = clock.at(world.at) ?? {};
          expect(earliest).toBeGreaterThanOrEqual(before);
          expect(earliest).toBeGreaterThanOrEqual(seen - 0.001);
        }
      }),
    );
  });

  it('is unknown before a measurement, and after a reset', () => {
    const clock = new ClockInterval();
    expect(clock.at(0)).toBe(null);
    clock.measure(5, 0, 1);
    clock.reset();
    expect(clock.at(2)).toBe(null);
  });
});
