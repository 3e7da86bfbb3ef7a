import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BackendHealth } from '../../contract/console/backend-health';
import type { LockEvent } from '../../core/lock/lock-event';
import { MINUTE_MS } from '../../core/time-units';
import { TestClock } from '../../platform/testing/test-clock';
import { patientStores } from '../../storage/conformance/contract/contract-stores';
import { creation, freshKey, update } from '../../storage/conformance/testing/changes';
import type { StoreUnderTest } from '../../storage/conformance/testing/stores-under-test';
import type { Change } from '../../storage/record-store';
import { EventRecorder } from '../history/recorder/event-recorder';
import { EventTally } from '../metrics/event-tally';
import { writeRefusals } from '../refusals/refusal-rows';
import { LockInsights } from './lock-insights';

const START = Date.UTC(2026, 10, 20, 8);

describe.each(['sqlite', 'mysql'] as const)('the recorded past of a lock over %s', (name) => {
  let under: StoreUnderTest;
  let clock: TestClock;
  let opener: EventRecorder;
  const key = freshKey();

  beforeEach(async () => {
    under = await patientStores[name].open();
    clock = new TestClock(START);
    const backend = { id: 'default', history: under.store };
    opener = new EventRecorder(under.database, backend, clock, new EventTally());
  });
  afterEach(() => under.close());

  const totalNow = async () => {
    const insights = new LockInsights(under.database, (backend) => [backend], ['default']);
    const { total, holds } = await insights.ofLock('default', key, '1h', clock.now());
    return { grants: total.grants, holds: holds.reduce((sum, { count }) => sum + count, 0) };
  };

  it('includes an event as soon as it is recorded, exactly once while it is counted', async () => {
    const seen: Awaited<ReturnType<typeof totalNow>>[] = [];
    let record: { rev: number; writer: string } | null = null;
    for (let round = 1; round <= 4; round += 1) {
      const parts = { events: turn(round, START + round * 1_000) };
      const change: Change = record ? update(key, record, parts) : creation(key, parts);
      await under.store.swap([change]);
      record = change;
      await opener.record();
      seen.push(await totalNow());
      clock.pass(round === 2 ? 20_000 : 200);
    }
    expect(seen).toEqual([1, 2, 3, 4].map((count) => ({ grants: count, holds: count })));
    clock.pass(20_000);
    await opener.record();
    expect(await totalNow()).toEqual({ grants: 4, holds: 4 });
  });

  it('counts no attempt refused after the instant shown', async () => {
    const refusedAt = (minute: number, attempts: number) => {
      const all = { attempts, token: 0, firstAt: minute, lastAt: minute };
      const counts = { all, owners: [], others: null };
      return { backend: 'default', lockId: '', minute, process: 'p', counts };
    };
    await writeRefusals(under.database, [
      refusedAt(START, 3),
      refusedAt(START + 5 * MINUTE_MS, 100),
    ]);
    const insights = new LockInsights(under.database, (backend) => [backend], ['default']);
    const { total } = await insights.ofAll(['default'], '30d', START + MINUTE_MS);
    expect(total.refused).toBe(3);
  });

  it('includes the present minute of a backend whose clock is far from this one', async () => {
    for (const offsetMs of [3_600_000 - 40, -3_600_000 + 40]) {
      const at = START + 20_000 + offsetMs;
      await under.store.swap([creation(freshKey(), { events: turn(1, at) })]);
      await opener.record();
      clock.pass(20_000);
      await opener.record();
      const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS;
      const all = { attempts: 5, token: 0, firstAt: at, lastAt: at };
      const counts = { all, owners: [], others: null };
      await writeRefusals(under.database, [
        { backend: 'default', lockId: '', minute, process: 'p', counts },
      ]);
      const ids = (backend: string) => [backend];
      const health = { clockOffsetMs: offsetMs } as BackendHealth;
      const backends = [{ id: 'default', engine: { health: () => health } }];
      const insights = new LockInsights(under.database, ids, ['default'], () => {}, backends);
      const { points, total } = await insights.ofAll(['default'], '1h', START + 20_000);
      expect(total).toMatchObject({ grants: 1, refused: 5 });
      expect(points.at(-1)).toMatchObject({ at: START, grants: 1, refused: 5 });
    }
  });

  it('is empty for a lock that was never used', async () => {
    expect(await totalNow()).toEqual({ grants: 0, holds: 0 });
  });
});

function turn(rev: number, at: number): LockEvent[] {
  const party = { at, rev, service: 'orders', owner: 'o', token: rev };
  return [
    { ...party, kind: 'granted', waitedMs: 0 },
    { ...party, kind: 'renewed' },
    { ...party, kind: 'released', heldMs: 20 },
  ];
}
