import { beforeEach, describe, expect, it } from 'vitest';
import { TestClock } from '../platform/testing/test-clock';
import { StoreClock } from './store-clock';

const AHEAD_MS = 1_000_000;

let ours: TestClock;
let theirs: TestClock;
let clock: StoreClock;
let steps: number[];

beforeEach(() => {
  ours = new TestClock(0);
  theirs = new TestClock(AHEAD_MS);
  steps = [];
  clock = new StoreClock(
    () => ours.monotonic(),
    (ms) => steps.push(ms),
  );
});

/** Both clocks run on. */
const pass = (ms: number) => {
  ours.pass(ms);
  theirs.pass(ms);
};

/** Asks for the backend's clock: the request takes so long, and then the reply. */
const ask = (thereMs: number, backMs: number) => {
  const sentAt = ours.monotonic();
  pass(thereMs);
  const now = theirs.now();
  pass(backMs);
  clock.observe(now, sentAt);
};

const behind = () => theirs.now() - (clock.atLeast() ?? Number.NaN);

describe('what is known of a backend’s clock', () => {
  it('is nothing before the first reading', () => {
    expect(clock.atLeast()).toBe(null);
  });

  it('is never ahead of it, and behind it by at most the age of the fastest reply', () => {
    for (const [there, back] of [
      [1, 40],
      [30, 3],
      [2, 9],
      [0, 700],
      [90, 90],
    ] as const) {
      ask(there, back);
      expect(behind()).toBeGreaterThanOrEqual(0);
      pass(500);
    }
    expect(behind()).toBeLessThanOrEqual(3 + 4);
  });

  it('is not affected by a late reply', () => {
    ask(1, 1);
    ask(1, 5_000);
    expect(behind()).toBeLessThanOrEqual(1 + 6);
    expect(behind()).toBeGreaterThanOrEqual(0);
  });

  it('follows a clock that was set back', () => {
    ask(1, 1);
    theirs.pass(-60_000);
    ask(1, 1);
    expect(behind()).toBeGreaterThanOrEqual(0);
    expect(behind()).toBeLessThanOrEqual(2);
  });

  it('follows a clock that was set forward', () => {
    ask(1, 1);
    theirs.pass(60_000);
    ask(1, 1);
    expect(behind()).toBeGreaterThanOrEqual(0);
    expect(behind()).toBeLessThanOrEqual(2);
  });

  it('includes when it was last set forward by much, until it is set back', () => {
    ask(1, 1);
    theirs.pass(100);
    ask(1, 1);
    expect(clock.setForwardAt).toBe(0);
    theirs.pass(60_000);
    ask(1, 1);
    const setForwardAt = theirs.now() - 1;
    expect(clock.setForwardAt).toBe(setForwardAt);
    theirs.pass(100);
    ask(1, 1);
    expect(clock.setForwardAt).toBe(setForwardAt);
    theirs.pass(-60_000);
    ask(1, 1);
    expect(clock.setForwardAt).toBe(0);
  });

  it('counts no longer once a lower bound shows that it was set forward, until it is read', () => {
    ask(1, 1);
    clock.observeAtLeast(theirs.now() - 1);
    expect(clock.recentlyAtLeast()).toBe(clock.atLeast());
    theirs.pass(60_000);
    clock.observeAtLeast(theirs.now() - 1);
    expect([clock.recentlyAtLeast(), clock.atMost()]).toEqual([null, null]);
    ask(1, 1);
    expect(behind()).toBeLessThanOrEqual(2);
    expect(clock.recentlyAtLeast()).toBe(clock.atLeast());
    expect(clock.atMost()).toBeGreaterThan(theirs.now());
  });

  it('is reported as a step exactly when no round trip can explain it', () => {
    for (const [there, back] of [
      [1, 40],
      [300, 3],
      [0, 2_000],
    ] as const) {
      ask(there, back);
      pass(500);
    }
    expect(steps).toEqual([]);
    theirs.pass(-60_000);
    ask(1, 1);
    theirs.pass(60_000);
    ask(1, 1);
    expect(steps.map((ms) => Math.round(ms / 1_000))).toEqual([-60, 60]);
  });
});
