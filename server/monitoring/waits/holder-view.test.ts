import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PROCESSES_SHOWN } from '../../contract/console/waits/holder-rows';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import { acquire, release, takeLock } from '../../engine/testing/engine-rig';
import { freshKey } from '../../storage/conformance/testing/changes';
import { type MonitoringMember, MonitoringRig } from '../testing/monitoring-rig';

const MINUTE = { leaseMs: 60_000 };

describe('the processes that hold locks', () => {
  let rig: MonitoringRig;
  let watcher: MonitoringMember;

  beforeEach(async () => {
    rig = await MonitoringRig.open('sqlite');
    watcher = await rig.watch({});
  });
  afterEach(() => rig.close());

  const ownersFound = async (search?: string) => {
    const page = await watcher.monitoring.holders.page(search);
    return { owners: page.rows.flatMap(({ owners }) => owners), found: page.found };
  };

  it('a search finds a process too small to be listed, and one that only waits', async () => {
    const many = Array.from({ length: PROCESSES_SHOWN + 20 }, (_, i) => `many-${i}`);
    await Promise.all(
      [...many, ...many].map((owner) => takeLock(watcher, freshKey(), owner, MINUTE)),
    );
    const held = freshKey();
    const { token } = await takeLock(watcher, held, 'Needle-1', MINUTE);
    await vi.waitFor(async () => expect((await ownersFound()).found).toBe(many.length + 1), {
      timeout: 10_000,
    });
    const { owners } = await ownersFound();
    expect(owners).toHaveLength(PROCESSES_SHOWN);
    expect(owners).not.toContain('Needle-1');
    expect(await ownersFound('needle')).toEqual({ owners: ['Needle-1'], found: 1 });
    expect((await ownersFound('many-')).found).toBe(many.length);
    expect(await ownersFound('orders needle-1')).toEqual({ owners: ['Needle-1'], found: 1 });
    expect(await ownersFound('nothing of it')).toEqual({ owners: [], found: 0 });
    const { figures } = await watcher.monitoring.holders.page('needle');
    expect(figures).toMatchObject({ services: 1, unknown: PROCESSES_SHOWN, dead: 0 });

    const waiting = acquire(watcher, held, 'thread-1', { ...MINUTE, waitMs: 20_000 });
    await vi.waitFor(
      async () => expect(await ownersFound('thread')).toEqual({ owners: ['thread-1'], found: 1 }),
      { timeout: 10_000 },
    );
    await release(watcher, held, 'Needle-1', token);
    expect((await waiting).outcome).toBe('granted');
  });

  it('a hold that is released and only kept does not count for its process', async () => {
    const key = freshKey();
    const shared = { ...MINUTE, mode: 'shared' } as const;
    const kept = await takeLock(watcher, key, 'w1', { ...shared, holdAtLeastMs: 60_000 });
    const { token } = await takeLock(watcher, key, 'w1', shared);
    await release(watcher, key, 'w1', kept.token);
    const tokens = async () => {
      const { rows } = await watcher.monitoring.holders.page();
      const [row] = rows.filter(({ owners }) => owners.includes('w1'));
      if (row?.holds !== 1) return row?.holds;
      const { locks } = await watcher.monitoring.holders.process(row.id);
      return locks.map((lock) => lock.token);
    };
    await vi.waitFor(async () => expect(await tokens()).toEqual([token]), { timeout: 10_000 });
  });

  it('a lock shows who gets it once a hold ends, if enough permits are free then', async () => {
    const key = freshKey();
    const some = (permits: number) =>
      ({ ...MINUTE, mode: 'permit', permits, capacity: 3 }) as const;
    await takeLock(watcher, key, 'few', some(1));
    const { token } = await takeLock(watcher, key, 'many', some(2));
    const waiting = acquire(watcher, key, 'heir', { ...some(2), waitMs: 20_000 });
    const nextAfter = async (owner: string) => {
      const { rows } = await watcher.monitoring.holders.page(owner);
      const { locks } = await watcher.monitoring.holders.process(rows[0]?.id ?? '');
      return locks.map(({ waiters, next }) => [waiters, next?.owner]);
    };
    await vi.waitFor(async () => expect(await nextAfter('many')).toEqual([[1, 'heir']]), {
      timeout: 10_000,
    });
    expect(await nextAfter('few')).toEqual([[1, undefined]]);
    await release(watcher, key, 'many', token);
    expect((await waiting).outcome).toBe('granted');
  });

  it('a lock shows for how long it is granted to no one once a hold on it is lost', async () => {
    const other = await rig.watch({ policy: { ...DEFAULT_POLICY, lockDelayMs: 5_000 } });
    await takeLock(watcher, freshKey(), 'w1', MINUTE);
    const delays = async ({ monitoring }: MonitoringMember) => {
      const { rows } = await monitoring.holders.page('w1');
      return (await monitoring.holders.process(rows[0]?.id ?? '')).locks.map(
        (lock) => lock.delayMs,
      );
    };
    const soon = { timeout: 10_000 };
    await vi.waitFor(async () => expect(await delays(watcher)).toEqual([0]), soon);
    await vi.waitFor(async () => expect(await delays(other)).toEqual([5_000]), soon);
  });

  it('of many locks of a process the oldest and the one renewed last are found', async () => {
    // Times are shown by the clock of this process: the estimate of the backend's would move them.
    const { engine } = watcher;
    const health = engine.health.bind(engine);
    vi.spyOn(engine, 'health').mockImplementation(() => ({ ...health(), clockOffsetMs: 0 }));
    const keys = Array.from({ length: 130 }, () => freshKey());
    const first = await takeLock(watcher, keys[0] ?? freshKey(), 'w1', MINUTE);
    const row = async () => (await watcher.monitoring.holders.page()).rows[0];
    const soon = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 10_000 });
    await soon(async () => expect((await row())?.holds).toBe(1));
    const oldest = (await row())?.oldest;
    const rest = keys.slice(1);
    const grants = await Promise.all(rest.map((key) => takeLock(watcher, key, 'w1', MINUTE)));
    await soon(async () => expect(await row()).toMatchObject({ holds: 130, renewedAt: null }));
    const renew = async (place: number, token: number) => {
      const who = { service: 'orders', owner: 'w1', token };
      const key = keys[place] ?? freshKey();
      await watcher.engine.run(key, { verb: 'renew', ...who, leaseMs: 70_000 });
    };
    await renew(0, first.token);
    // So many that the oldest is none of those that changed first or last.
    for (let place = 1; place <= 12; place += 1) await renew(place, grants[place - 1]?.token ?? 0);
    await soon(async () => expect((await row())?.renewedAt).toEqual(expect.any(Number)));
    expect((await row())?.oldest).toEqual(oldest);
  });

  it('of thousands of locks of a process those that others wait for come first', async () => {
    const [long, wait] = [{ leaseMs: 600_000 }, { holdRequestMs: 60_000 }];
    // A busy machine cannot grant all of them within the time of one call.
    for (let i = 0; i < 21; i += 1) {
      const keys = Array.from({ length: 100 }, () => freshKey());
      await Promise.all(keys.map((key) => takeLock(watcher, key, 'w1', long)));
    }
    const last = freshKey();
    const { token } = await takeLock(watcher, last, 'w1', long);
    const waiting = acquire(watcher, last, 'w2', { ...long, waitMs: 60_000, wait });
    await vi.waitFor(
      async () => {
        const { rows } = await watcher.monitoring.holders.page();
        const row = rows.find(({ owners }) => owners.includes('w1'));
        expect(row).toMatchObject({ holds: 2_101, blocked: 1 });
        const { locks } = await watcher.monitoring.holders.process(row?.id ?? '');
        expect(locks[0]).toMatchObject({ name: last.name, waiters: 1, next: { owner: 'w2' } });
      },
      { timeout: 50_000, interval: 200 },
    );
    await release(watcher, last, 'w1', token);
    await waiting;
  });

  it('the age of a hold at a silent backend is known until that answered last', async () => {
    const key = freshKey();
    await takeLock(watcher, key, 'w1', MINUTE);
    const soon = { timeout: 10_000 };
    const oldest = async () => (await watcher.monitoring.holders.page()).rows[0]?.oldest;
    await vi.waitFor(async () => expect(await oldest()).toMatchObject({ knownUntil: null }), soon);
    const goneAt = Date.now();
    watcher.faults.goAway();
    await vi.waitFor(async () => expect((await oldest())?.knownUntil).not.toBe(null), soon);
    const knownUntil = (await oldest())?.knownUntil ?? Number.NaN;
    // Answers that were under way still arrive.
    expect(knownUntil).toBeLessThan(goneAt + 1_000);
    expect(knownUntil).toBeGreaterThan(goneAt - 10_000);
    watcher.faults.comeBack();
    await vi.waitFor(async () => expect(await oldest()).toMatchObject({ knownUntil: null }), soon);
  });
});
