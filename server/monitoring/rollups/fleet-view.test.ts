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

test('after a time without readers, the first to ask receives a new reading', async () => {
  const under = await storesUnderTest.sqlite.open();
  try {
    const clock = new TestClock();
    const insights = new LockInsights(under.database, (backend) => [backend], ['default']);
    const fleet = new FleetView(['default'], nothingHeld as never, insights, clock);
    const first = await fleet.now();
    clock.pass(135_000);
    const next = await fleet.now();
    expect(next.hourAt - first.hourAt).toBe(135_000);
    expect(next.hourAt).toBe(next.asOf);
  } finally {
    await under.close();
  }
});

test('a last hour that could not be read is not said to be empty, however soon it is asked for', async () => {
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

test('the figures of the last hour are there for a page that was not', async () => {
  const under = await storesUnderTest.sqlite.open();
  try {
    const clock = new TestClock();
    const insights = new LockInsights(under.database, (backend) => [backend], ['default']);
    let held = 0;
    const projection = {
      counts: async () => ({
        ...{ counts: { stuck: 1 }, held, waiting: 2 },
        ...{ blocked: { callers: 2, sinceSum: 0 }, blockingMs: 9_000 },
      }),
      grantRate: { perSecond: () => 0 },
    };
    const fleet = new FleetView(['default'], projection as never, insights, clock);
    for (held = 1; held <= 130; held += 1) {
      clock.pass(30_000);
      await fleet.sample();
    }
    const { samples, asOf } = await fleet.now();
    expect(samples).toHaveLength(120);
    const counted = { held: 11, waiting: 2, stuck: 1, blockingMs: 9_000 };
    expect(samples[0]).toEqual({ at: asOf - 119 * 30_000, ...counted });
  } finally {
    await under.close();
  }
});
