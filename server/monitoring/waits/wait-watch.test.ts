import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { anonymousRequest } from '../../engine/request-identity';
import {
  acquire,
  EngineRig,
  type Member,
  release,
  renew,
  takeLock,
} from '../../engine/testing/engine-rig';
import { freshKey } from '../../storage/conformance/testing/changes';
import { StoreError } from '../../storage/record-store';
import { type MonitoringMember, MonitoringRig } from '../testing/monitoring-rig';

const MINUTE = { leaseMs: 60_000 };
const PATIENT = { ...MINUTE, waitMs: 60_000 };

describe('who waits for whom', () => {
  let rig: MonitoringRig;
  let elsewhere: EngineRig;
  let watcher: MonitoringMember;
  let other: Member;

  beforeEach(async () => {
    [rig, elsewhere] = await Promise.all([MonitoringRig.open('sqlite'), EngineRig.open('sqlite')]);
    other = await elsewhere.join();
    const { faults: store, engine } = other;
    watcher = await rig.watch({
      otherBackends: [{ id: 'other', store, engine, epochOf: () => 1 }],
    });
  });
  afterEach(async () => {
    await rig.close();
    await elsewhere.close();
  });

  const soon = (check: () => void | Promise<void>) =>
    vi.waitFor(check, { timeout: 10_000, interval: 20 });
  const graph = () => watcher.monitoring.waits.read();
  const names = async (places: number[] = []) => {
    const { owners } = await graph();
    return places.map((place) => owners[place]?.owner);
  };

  it('a deadlock of two backends is found within 2 s, kept, and closed with its end', async () => {
    const [mine, theirs] = [freshKey(), freshKey()];
    const { token } = await takeLock(watcher, mine, 'p', MINUTE);
    const held = await takeLock(other, theirs, 'q', MINUTE);
    const first = acquire(other, theirs, 'p', PATIENT);
    const second = acquire(watcher, mine, 'q', PATIENT);
    const history = () => watcher.monitoring.deadlocks.list(10);
    await soon(async () => expect(await history()).toHaveLength(1));
    const [found] = await history();
    // On an idle machine after 0.5 s; this one may be busy.
    expect((found?.foundAt ?? 0) - (found?.since ?? 0)).toBeLessThan(8_000);
    expect(found?.steps).toMatchObject([
      { owner: 'p', name: theirs.name, backend: 'other' },
      { owner: 'q', name: mine.name, backend: 'default' },
    ]);
    const [head] = (await graph()).heads;
    expect(head?.deadlock?.id).toBe(found?.id);
    expect(await names(head?.owners)).toEqual(['p', 'q']);
    await soon(async () => {
      const metrics = await watcher.monitoring.metrics.text();
      expect(metrics).toMatch(/^lockyard_deadlocks 1$/m);
      expect(metrics).toMatch(/^lockyard_deadlocks_total 1$/m);
    });

    const by = { by: 'ada', reason: 'deadlock', request: anonymousRequest() };
    await watcher.engine.run(mine, { verb: 'forceRelease', token, ...by });
    expect((await second).outcome).toBe('granted');
    await soon(async () =>
      expect(await history()).toMatchObject([{ end: 'forced', by: 'ada', waiting: 2 }]),
    );
    const { heads } = await graph();
    expect(heads.every(({ deadlock }) => deadlock === null)).toBe(true);
    expect(await watcher.monitoring.metrics.text()).toMatch(/^lockyard_deadlocks 0$/m);
    await release(other, theirs, 'q', held.token);
    expect((await first).outcome).toBe('granted');
  });

  it('a deadlock that lasts through an outage does not count as ended', async () => {
    const away = await elsewhere.join();
    const watching = await rig.watch({
      otherBackends: [{ id: 'away', store: away.faults, engine: away.engine, epochOf: () => 1 }],
    });
    const { projection, waits } = watching.monitoring;
    const [one, two] = [freshKey(), freshKey()];
    const leaseMs = 2_000;
    const held = [
      { key: one, owner: 'p', token: (await takeLock(other, one, 'p', { leaseMs })).token },
      { key: two, owner: 'q', token: (await takeLock(other, two, 'q', { leaseMs })).token },
    ];
    const renewing = setInterval(() => {
      for (const { key, owner, token } of held) {
        // One may be on its way when the test ends.
        renew(other, key, owner, token, leaseMs).catch(() => undefined);
      }
    }, 200);
    try {
      const waiting = [acquire(other, one, 'q', PATIENT), acquire(other, two, 'p', PATIENT)];
      await soon(() => expect(waits.rows()).toHaveLength(1));
      const ids = () => waits.rows().map(({ id }) => id);
      const found = ids();
      away.faults.goAway();
      const rowOf = () => projection.row(one.namespace, one.name);
      await soon(() => expect(rowOf()?.status).toBe('unknown'));
      expect(waits.examine()).toEqual({ found: [], ended: [] });
      const { heads } = await waits.read();
      expect(heads.map(({ deadlock }) => deadlock?.id)).toEqual(found);
      const silent = new StoreError('It is not there.', 'no');
      const history = vi.spyOn(away.faults, 'historyAfter').mockRejectedValue(silent);
      away.faults.comeBack();
      await soon(() => {
        expect(away.engine.health().reachable).toBe(true);
        expect(Date.now()).toBeGreaterThan((rowOf()?.hold?.expiresAt ?? Number.NaN) + 1_500);
      });
      expect(ids()).toEqual(found);
      history.mockRestore();
      await soon(() => expect(rowOf()?.status).toBe('contended'));
      expect(ids()).toEqual(found);
      clearInterval(renewing);
      await Promise.all(held.map(({ key, owner, token }) => release(other, key, owner, token)));
      for (const answer of await Promise.all(waiting)) expect(answer.outcome).toBe('granted');
    } finally {
      clearInterval(renewing);
    }
  });

  it('a chain over two backends has one head blocker, with everyone behind it', async () => {
    const [mine, theirs] = [freshKey(), freshKey()];
    const root = await takeLock(watcher, mine, 'root', MINUTE);
    const link = await takeLock(other, theirs, 'link', MINUTE);
    const waiting = [
      acquire(watcher, mine, 'link', PATIENT),
      acquire(other, theirs, 'victim', PATIENT),
    ];
    await soon(async () =>
      expect(await graph()).toMatchObject({ waiting: 2, heads: [{ waiting: 2 }] }),
    );
    const { heads, locks } = await graph();
    const [head, ...others] = heads;
    expect(others).toEqual([]);
    expect(await names(head?.owners)).toEqual(['root']);
    const [lock] = head?.locks ?? [];
    expect(locks[lock ?? -1]).toMatchObject({ name: mine.name, status: 'contended' });
    expect(head?.blockingMs).toBeGreaterThan(0);
    expect(await watcher.monitoring.deadlocks.list(10)).toEqual([]);

    const page = await watcher.monitoring.holders.page();
    expect(page).toMatchObject({ processes: 2, holds: 2, waiting: 2 });
    const linkRow = page.rows.find(({ owners }) => owners.includes('link'));
    expect(linkRow).toMatchObject({ holds: 1, blocked: 1, waits: 1, inDeadlock: false });
    expect(linkRow?.verdict).toMatchObject({ state: 'unknown', kind: null });
    expect(linkRow?.waitsFor).toMatchObject([{ name: mine.name }]);
    const detail = await watcher.monitoring.holders.process(linkRow?.id ?? '');
    expect(detail.locks).toMatchObject([
      { name: theirs.name, token: link.token, waiters: 1, next: { owner: 'victim' } },
    ]);
    expect(detail.waits).toMatchObject([{ name: mine.name, place: 1, holders: ['root'] }]);

    await release(watcher, mine, 'root', root.token);
    await release(other, theirs, 'link', link.token);
    for (const answer of await Promise.all(waiting)) expect(answer.outcome).toBe('granted');
    await soon(async () => {
      const { rows } = await watcher.monitoring.holders.page();
      expect(rows.flatMap(({ owners }) => owners).sort()).toEqual(['link', 'victim']);
    });
    expect((await graph()).waiting).toBe(0);
  });
});
