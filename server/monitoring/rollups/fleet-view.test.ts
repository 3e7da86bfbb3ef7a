import { expect, test } from 'vitest';
import type { InsightRange } from '../../contract/console/insight-row';
import { InsightSteps } from '../../core/statistics/insight-steps';
import { TestClock } from '../../platform/testing/test-clock';
import { storesUnderTest } from '../../storage/conformance/testing/stores-under-test';
import { FleetView } from './fleet-view';
import { LockInsights } from './lock-insights';

const NOT_BLOCKED = { callers: 0, sinceSum: 0 };

const nothingHeld = {
  counts: async () => ({ counts: {}, held: 0, waiting: 0, blocked: NOT_BLOCKED, blockingMs: 0 }),
  grantRate: { perSecond: () => 0 },
};

test.each([
  ['after a time without readers', 0],
  ['also if the clock was set back meanwhile', 3_600_000],
])('%s the first request gets a new reading', async (_, setBackMs) => {
  const under = await storesUnderTest.sqlite.open();
  try {
    const passed = new TestClock();
    let behindMs = 0;
    const clock = { now: () => passed.now() - behindMs, monotonic: () => passed.monotonic() };
    const insights = new LockInsights(under.database, (backend) => [backend], ['default']);
    const fleet = new FleetView(['default'], nothingHeld as never, insights, clock);
    const first = await fleet.now();
    passed.pass(135_000);
    behindMs = setBackMs;
    const next = await fleet.now();
    expect(next.hourAt - first.hourAt).toBe(135_000 - setBackMs);
    expect(next.hourAt).toBe(next.asOf);
  } finally {
    await under.close();
  }
});

test('an unreadable last hour is not shown as empty, however soon it is requested', async () => {
  const clock = new TestClock();
  const insights = {
    ofAll: async (backends: string[], range: InsightRange, now: number) => {
      if (backends.length > 0) throw new Error('The control database is away.');
      return new InsightSteps(range, now).view();
    },
  };
  const fleet = new FleetView(['default'], nothingHeld as never, insights as never, clock);
  await expect(fleet.now()).rejects.toThrow('away');
  clock.pass(300);
  await expect(fleet.now()).rejects.toThrow('away');
});

/** All locks together, with figures that the test sets. */
async function fleetUnderTest(
  work: (fleet: FleetView, clock: TestClock, set: (part: object) => void) => Promise<void>,
) {
  const under = await storesUnderTest.sqlite.open();
  try {
    const clock = new TestClock();
    const insights = new LockInsights(under.database, (backend) => [backend], ['default']);
    let figures = { held: 0, waiting: 0, stuck: 0, blockingMs: 0, isWhole: true };
    const projection = {
      counts: async () => ({
        ...{ counts: { stuck: figures.stuck }, held: figures.held, waiting: figures.waiting },
        ...{ blocked: NOT_BLOCKED, blockingMs: figures.blockingMs, isWhole: figures.isWhole },
      }),
      grantRate: { perSecond: () => 0 },
    };
    const fleet = new FleetView(['default'], projection as never, insights, clock);
    await work(fleet, clock, (part) => {
      figures = { ...figures, ...part };
    });
  } finally {
    await under.close();
  }
}

test('the figures of the last hour are available to a page opened later', () =>
  fleetUnderTest(async (fleet, clock, set) => {
    for (let held = 1; held <= 130; held += 1) {
      set({ held, waiting: 2, stuck: 1, blockingMs: 9_000 });
      clock.pass(30_000);
      await fleet.sample();
    }
    const { samples, asOf } = await fleet.now();
    expect(samples).toHaveLength(120);
    const counted = { held: 11, waiting: 2, stuck: 1, blockingMs: 9_000 };
    const low = { held: 11, stuck: 1 };
    expect(samples[0]).toEqual({ at: asOf - 119 * 30_000, ...counted, low });
  }));

test('the course of a figure has its peak and its lowest reading, however short these were', () =>
  fleetUnderTest(async (fleet, clock, set) => {
    const readFor = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        clock.pass(1_000);
        await fleet.sample();
      }
    };
    set({ held: 5 });
    await readFor(10);
    set({ held: 7, waiting: 3, stuck: 1, blockingMs: 80_000 });
    await readFor(1);
    set({ held: 2, waiting: 0, stuck: 0, blockingMs: 0 });
    await readFor(1);
    set({ held: 5 });
    await readFor(100);
    const { samples, asOf } = await fleet.now();
    expect(samples).toHaveLength(4);
    const peak = { held: 7, waiting: 3, stuck: 1, blockingMs: 80_000, low: { held: 2, stuck: 0 } };
    expect(samples[0]).toMatchObject(peak);
    expect(samples[1]).toMatchObject({ held: 5, stuck: 0, blockingMs: 0, low: { held: 5 } });
    expect(samples.at(-1)?.at).toBe(asOf);
  }));

test('while a backend is unknown, as at the start, it adds no lower figures to the course', () =>
  fleetUnderTest(async (fleet, clock, set) => {
    set({ isWhole: false });
    await fleet.sample();
    expect((await fleet.now()).samples[0]).toMatchObject({ held: 0, low: null });
    set({ held: 40, isWhole: true });
    clock.pass(1_000);
    await fleet.sample();
    expect((await fleet.now()).samples[0]).toMatchObject({ held: 40, low: { held: 40 } });
    set({ held: 3, isWhole: false });
    clock.pass(1_000);
    await fleet.sample();
    expect((await fleet.now()).samples[0]).toMatchObject({ held: 40, low: { held: 40 } });
  }));

test('a value once shown to a page stays in the course', () =>
  fleetUnderTest(async (fleet, clock, set) => {
    await fleet.sample();
    clock.pass(400);
    set({ blockingMs: 50_000 });
    await fleet.now();
    clock.pass(400);
    set({ blockingMs: 0 });
    await fleet.sample();
    const { samples, blockingMs } = await fleet.now();
    expect(blockingMs).toBe(0);
    expect(samples.map((sample) => sample.blockingMs)).toEqual([50_000]);
  }));
