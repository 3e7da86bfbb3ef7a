import { expect, test } from 'vitest';
import { TestClock } from '../../platform/testing/test-clock';
import { storesUnderTest } from '../../storage/conformance/testing/stores-under-test';
import { FleetView } from './fleet-view';
import { LockInsights } from './lock-insights';

const nothingHeld = {
  counts: async () => ({ counts: {}, held: 0, waiting: 0 }),
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
