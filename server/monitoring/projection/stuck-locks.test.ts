import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lockListInput } from '../../contract/console/console-inputs';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import { acquire, release, takeLock } from '../../engine/testing/engine-rig';
import { freshKey } from '../../storage/conformance/testing/changes';
import { sampledStores } from '../../storage/conformance/testing/stores-under-test';
import { type MonitoringMember, MonitoringRig } from '../testing/monitoring-rig';

/** Long enough that a busy machine also shows the lock before it is stuck. */
const stuckAfterMs = 6_000;
/** Stores where a process that begins finds earlier records. */
const KEPT = ['sqlite', 'mysql'] as const;
const STUCK = lockListInput.parse({ status: 'stuck' });

describe.concurrent.each(sampledStores)('stuck locks in the projection over %s', (name) => {
  let rig: MonitoringRig;
  let watcher: MonitoringMember;

  beforeEach(async () => {
    rig = await MonitoringRig.open(name);
    watcher = await rig.watch({ policy: { ...DEFAULT_POLICY, stuckAfterMs } });
  });
  afterEach(() => rig.close());

  const rowOf = (key: { namespace: string; name: string }) =>
    watcher.monitoring.projection.row(key.namespace, key.name);
  const soon = (look: () => void | Promise<void>) =>
    vi.waitFor(look, { timeout: 20_000, interval: 10 });

  it.sequential('have the reason while a caller waits beyond its namespace’s limit', async () => {
    const key = freshKey();
    const quiet = freshKey();
    await takeLock(watcher, quiet, 'w1', { leaseMs: 60_000 });
    const { token } = await takeLock(watcher, key, 'w1', { leaseMs: 60_000 });
    const waiting = acquire(watcher, key, 'w2', { waitMs: 60_000 });
    await soon(() => expect(rowOf(key)?.status).toBe('contended'));
    // The status and its reason from one reading: the estimate of the backend's clock moves.
    let row = rowOf(key);
    await soon(() => {
      row = rowOf(key);
      expect(row?.status).toBe('stuck');
    });
    expect(row?.stuck).toMatchObject({ kind: 'longHold', limitMs: stuckAfterMs, p99Ms: null });
    expect(row?.stuck?.since).toBeGreaterThanOrEqual((row?.hold?.grantedAt ?? 0) + stuckAfterMs);
    const page = await watcher.monitoring.projection.page(STUCK);
    expect(page.counts).toMatchObject({ stuck: 1, held: 1, contended: 0 });
    expect(page.rows.map((each) => each.name)).toEqual([key.name]);
    expect((await watcher.monitoring.projection.detail(key.namespace, key.name)).row).toMatchObject(
      {
        status: 'stuck',
        stuck: row?.stuck,
      },
    );
    await release(watcher, key, 'w1', token);
    expect((await waiting).outcome).toBe('granted');
    await soon(() => expect(rowOf(key)).toMatchObject({ status: 'held', stuck: null }));
    expect(rowOf(quiet)).toMatchObject({ status: 'held', stuck: null });
  });

  it.sequential('include a lock that is still renewed after a waiter gave up', async () => {
    const key = freshKey();
    const { token } = await takeLock(watcher, key, 'w1', { leaseMs: 60_000 });
    expect((await acquire(watcher, key, 'w2', { waitMs: 300 })).outcome).toBe('timeout');
    await soon(() => expect(rowOf(key)).toMatchObject({ status: 'held', waiters: 0 }));
    const renew = {
      verb: 'renew',
      service: 'orders',
      owner: 'w1',
      token,
      leaseMs: 60_000,
    } as const;
    expect((await watcher.engine.run(key, renew)).outcome).toBe('renewed');
    await soon(() =>
      expect(rowOf(key)).toMatchObject({
        status: 'stuck',
        stuck: { kind: 'idleRenewals', wish: 'gaveUp' },
      }),
    );
  });
});

describe.concurrent.each(KEPT)('stuck locks after a restart over %s', (name) => {
  it('stay stuck, even because of a waiter that gave up long before', async () => {
    const rig = await MonitoringRig.open(name);
    try {
      const policy = { ...DEFAULT_POLICY, stuckAfterMs: 1_000 };
      const before = await rig.watch({ policy });
      const [stuck, quiet] = [freshKey(), freshKey()];
      for (const key of [stuck, quiet]) {
        const { token } = await takeLock(before, key, 'w1', { leaseMs: 600_000 });
        if (key === stuck) await acquire(before, key, 'w2', { waitMs: 100 });
        const renew = { verb: 'renew', service: 'orders', owner: 'w1', token } as const;
        await before.engine.run(key, { ...renew, leaseMs: 600_000 });
      }
      const statusAt = ({ monitoring }: MonitoringMember, { namespace, name: of }: typeof stuck) =>
        monitoring.projection.row(namespace, of)?.status;
      const both = (at: MonitoringMember) => [statusAt(at, stuck), statusAt(at, quiet)];
      const soon = { timeout: 30_000, interval: 50 };
      await vi.waitFor(() => expect(both(before)).toEqual(['stuck', 'held']), soon);
      // A process that begins reads the latest commits again: none of these is of the two locks.
      const other = freshKey();
      for (let i = 0; i < 510; i += 1) {
        const { token } = await takeLock(before, other, 'w1', { leaseMs: 600_000 });
        await release(before, other, 'w1', token);
      }
      await before.monitoring.close();
      const after = await rig.watch({ policy });
      await vi.waitFor(() => expect(both(after)).toEqual(['stuck', 'held']), soon);
    } finally {
      await rig.close();
    }
  });
});
