import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { LockEvent } from '../../core/lock/lock-event';
import { TestClock } from '../../platform/testing/test-clock';
import { GrantRate } from './grant-rate';

const granted = (at: number): LockEvent[] => [
  { kind: 'granted', at, rev: 1, service: 'orders', owner: 'w1' },
];

it('grants a second are those of the last minute', () => {
  const clock = new TestClock(1_000_000);
  const rate = new GrantRate(clock);
  for (let second = 0; second < 300; second += 1) {
    for (let i = 0; i < 3; i += 1) rate.note(granted(clock.now()), rate.aheadMs(0));
    clock.pass(1_000);
  }
  clock.pass(-1);
  expect(rate.perSecond()).toBe(3);
  clock.pass(60_000);
  expect(rate.perSecond()).toBe(0);
});

it.each([-1, 1])(
  'grants a second are those of the last minute after the clock was set by %i h',
  (hours) => {
    const backend = new TestClock(1_000_000_000);
    let setMs = 0;
    const rate = new GrantRate({
      now: () => backend.now() + setMs,
      monotonic: () => backend.monotonic(),
    });
    const pass = (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        rate.note(granted(backend.now()), rate.aheadMs(-setMs));
        backend.pass(1_000);
      }
      return rate.perSecond();
    };
    pass(600);
    setMs = hours * 3_600_000;
    for (let i = 0; i < 4; i += 1) expect(pass(30)).toBeCloseTo(1, 1);
  },
);

it("grants are those of the last minute although the backend's clock was just set ahead", () => {
  const clock = new TestClock(1_000_000);
  const rate = new GrantRate(clock);
  clock.pass(60_000);
  for (let i = 0; i < 60; i += 1) rate.note(granted(clock.now() + 3_600_000), rate.aheadMs(0));
  expect(rate.perSecond()).toBe(1);
  clock.pass(60_000);
  expect(rate.perSecond()).toBe(0);
});

it('grants leak no memory, even if their rate is never requested', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const clock = new TestClock(1_000_000);
  const rate = new GrantRate(clock);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let second = 0; second < 300_000; second += 1) {
    rate.note(granted(clock.now()), rate.aheadMs(0));
    clock.pass(1_000);
  }
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(2_000_000);
  expect(rate.perSecond()).toBeCloseTo(1, 1);
});
