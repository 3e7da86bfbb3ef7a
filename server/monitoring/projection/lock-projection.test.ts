import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lockListInput } from '../../contract/console/console-inputs';
import { listInput } from '../../contract/lock/inputs';
import { unwrittenRecord } from '../../core/lock/lock-record';
import {
  acquire,
  acquireCommand,
  pause,
  release,
  takeLock,
  WAIT,
} from '../../engine/testing/engine-rig';
import { PASS } from '../../engine/testing/faulty-store';
import { encodeCounter } from '../../storage/codec/counter-codec';
import { encodeRecord } from '../../storage/codec/record-codec';
import {
  counterEventOf,
  created,
  eventOf,
  freshKey,
  stored,
  swapOne,
  update,
} from '../../storage/conformance/testing/changes';
import { can, sampledStores } from '../../storage/conformance/testing/stores-under-test';
import { type RecordKey, StoreError } from '../../storage/record-store';
import { type MonitoringMember, MonitoringRig } from '../testing/monitoring-rig';

const ALL = lockListInput.parse({});

describe.each(sampledStores)('the lock projection over %s', (name) => {
  let rig: MonitoringRig;
  let watcher: MonitoringMember;

  beforeEach(async () => {
    rig = await MonitoringRig.open(name);
  });
  afterEach(() => rig.close());

  const rowOf = (key: { namespace: string; name: string }) =>
    watcher.monitoring.projection.row(key.namespace, key.name);
  /** Where nothing else is promised: long enough for a busy machine. */
  const soon = <T>(look: () => T | Promise<T>, timeout = 10_000) =>
    vi.waitFor(look, { timeout, interval: 10 });
  /** What is promised within a second, with some for a busy machine. */
  const withinASecond = (look: () => void) => soon(look, 8_000);

  it('shows changes of any process within a second, from the first record on', async () => {
    const elsewhere = await rig.engines.join();
    const key = freshKey();
    watcher = await rig.watch();
    const early = watcher.monitoring.projection.listing('default', listInput.parse({}), 'orders');
    await expect(early).rejects.toMatchObject({ reason: 'BACKEND_DOWN' });
    const { token } = await takeLock(elsewhere, key, 'w1', { leaseMs: 60_000 });
    await withinASecond(() =>
      expect(rowOf(key)).toMatchObject({ status: 'held', hold: { owner: 'w1', token } }),
    );
    const waiting = acquire(elsewhere, key, 'w2', { waitMs: 60_000 });
    await withinASecond(() =>
      expect(rowOf(key)).toMatchObject({ status: 'contended', waiters: 1 }),
    );
    await release(elsewhere, key, 'w1', token);
    await withinASecond(() =>
      expect(rowOf(key)).toMatchObject({ hold: { owner: 'w2' }, waiters: 0 }),
    );
    const next = await waiting;
    if (next.outcome === 'granted') await release(elsewhere, key, 'w2', next.token);
    await withinASecond(() => expect(rowOf(key)).toMatchObject({ status: 'free', hold: null }));
  });

  it('shows changes of its process without reading them, and reads those of others', async () => {
    watcher = await rig.watch();
    const elsewhere = await rig.engines.join();
    const [ours, theirs] = [freshKey(), freshKey()];
    const first = await takeLock(watcher, ours, 'w1', { leaseMs: 60_000 });
    await soon(() => expect(rowOf(ours)?.hold?.token).toBe(first.token));
    const read: string[] = [];
    watcher.faults.onRead = (keys) => {
      read.push(...keys.map((key) => key.name));
      return PASS;
    };
    await release(watcher, ours, 'w1', first.token);
    await takeLock(elsewhere, theirs, 'w2', { leaseMs: 60_000 });
    await soon(() => expect(rowOf(theirs)).toMatchObject({ hold: { owner: 'w2' } }));
    await soon(() => expect(rowOf(ours)).toMatchObject({ status: 'free', hold: null }));
    expect(read).toContain(theirs.name);
    expect(read).not.toContain(ours.name);
  });

  it('notifies its listeners of changes until they unsubscribe', async () => {
    watcher = await rig.watch();
    await takeLock(watcher, freshKey(), 'w1');
    let notices = 0;
    const stop = watcher.monitoring.projection.subscribe(() => {
      notices += 1;
    });
    await takeLock(watcher, freshKey(), 'w1');
    await soon(() => expect(notices).toBeGreaterThan(0));
    stop();
    const before = notices;
    await takeLock(watcher, freshKey(), 'w1');
    await pause(500);
    expect(notices).toBe(before);
  });

  it("reads everything that existed before it began, except Lockyard's own records", async () => {
    const elsewhere = await rig.engines.join();
    const keys = Array.from({ length: 600 }, () => freshKey());
    await Promise.all(keys.map((key) => takeLock(elsewhere, key, 'w1', { leaseMs: 60_000 })));
    watcher = await rig.watch();
    await soon(async () => expect((await watcher.monitoring.projection.page(ALL)).total).toBe(600));
    const page = await watcher.monitoring.projection.page(ALL);
    expect(page).toMatchObject({ matching: 600, namespaces: ['default'], counts: { held: 600 } });
  });

  it('keeps up with more changes than it reads at once', async () => {
    watcher = await rig.watch();
    const store = rig.engines.under.store;
    const keys = Array.from({ length: 900 }, () => freshKey());
    const text = released();
    for (let i = 0; i < keys.length; i += 4) {
      const some = keys.slice(i, i + 4);
      await Promise.all(some.map((key) => created(store, key, { ...text, events: [eventOf(1)] })));
    }
    await soon(async () => expect((await watcher.monitoring.projection.page(ALL)).total).toBe(900));
  });

  it('is searched by part of a name, an owner, a service or a token', async () => {
    watcher = await rig.watch();
    const key = { namespace: 'default', name: 'Billing/Über-Nacht' };
    // Locks that are taken for the first time in one millisecond have one token; a second grant
    // tells them apart.
    const first = await takeLock(watcher, key, 'Worker-7', { leaseMs: 60_000 });
    await release(watcher, key, 'Worker-7', first.token);
    await pause(5);
    const { token } = await takeLock(watcher, key, 'Worker-7', { leaseMs: 60_000 });
    await takeLock(watcher, freshKey(), 'someone', { service: 'else', leaseMs: 60_000 });
    await soon(async () => expect((await watcher.monitoring.projection.page(ALL)).total).toBe(2));
    for (const search of ['über', 'worker-7', 'ORDERS', String(token).slice(3), 'billing/']) {
      const { rows } = await watcher.monitoring.projection.page({ ...ALL, search });
      expect(
        rows.map((row) => row.name),
        search,
      ).toEqual([key.name]);
    }
    const none = await watcher.monitoring.projection.page({ ...ALL, search: 'nobody' });
    expect(none.rows).toEqual([]);
  });

  it('shows everything as unknown, never free, while its backend does not respond', async () => {
    watcher = await rig.watch();
    const [held, free, unread] = [freshKey(), freshKey(), freshKey()];
    const { token } = await takeLock(watcher, held, 'w1', { leaseMs: 60_000 });
    await release(watcher, free, 'w1', (await takeLock(watcher, free, 'w1')).token);
    await soon(async () => expect((await watcher.monitoring.projection.page(ALL)).total).toBe(2));
    const { projection } = watcher.monitoring;
    await projection.detail(held.namespace, held.name);

    // Followed for a while, in which nothing is written: it is known to be held for as long.
    const [known] = await projection.page(ALL).then(({ rows }) => rows.filter(({ hold }) => hold));
    const grantedAt = known?.hold?.grantedAt ?? Number.NaN;
    const listing = () => projection.listing('default', listInput.parse({ busy: true }), 'orders');
    await soon(async () =>
      expect(Date.now() - (await listing()).ageMs).toBeGreaterThan(grantedAt + 300),
    );
    watcher.faults.goAway();
    await soon(async () => expect((await projection.page(ALL)).counts.unknown).toBe(2));
    const [unknown] = (await projection.page(ALL)).rows.filter(({ hold }) => hold);
    expect(unknown?.readAt).toBeGreaterThan(grantedAt + 200);
    expect(rowOf(held)?.readAt).toBe(unknown?.readAt);
    const page = await projection.page(ALL);
    expect(page.counts).toMatchObject({ unknown: 2, free: 0, held: 0 });
    expect(page.backends).toMatchObject([{ reachable: false }]);
    expect(rowOf(held)).toMatchObject({ status: 'unknown', hold: { owner: 'w1', token } });
    expect(rowOf(free)).toMatchObject({ status: 'unknown', hold: null });
    expect((await listing()).locks.map(({ state }) => state)).toEqual(['unknown', 'unknown']);
    await soon(async () => expect((await listing()).ageMs).toBeGreaterThan(700));
    const detail = await projection.detail(held.namespace, held.name);
    expect(detail).toMatchObject({
      fresh: false,
      row: { status: 'unknown', hold: { token } },
      lastToken: token,
    });
    expect(detail.asOf).toBeLessThanOrEqual(Date.now());
    expect(await projection.detail(free.namespace, free.name)).toMatchObject({
      fresh: false,
      row: { status: 'unknown' },
    });
    await expect(projection.detail(unread.namespace, unread.name)).rejects.toMatchObject({
      reason: 'BACKEND_DOWN',
    });

    watcher.faults.comeBack();
    await soon(() => expect(rowOf(held)).toMatchObject({ status: 'held' }));
    expect(await projection.detail(held.namespace, held.name)).toMatchObject({ fresh: true });
  });

  it("shows the last known holder on a lock's page while its backend is silent", async () => {
    watcher = await rig.watch();
    const { projection } = watcher.monitoring;
    const key = freshKey();
    const detail = () => projection.detail(key.namespace, key.name);
    const { token } = await takeLock(watcher, key, 'w1', { leaseMs: 60_000 });
    expect(await detail()).toMatchObject({ row: { hold: { owner: 'w1' } } });
    await release(watcher, key, 'w1', token);
    const next = await takeLock(watcher, key, 'w2', { leaseMs: 60_000 });
    const waiting = acquire(watcher, key, 'w3', { waitMs: 60_000 });
    await soon(() => expect(rowOf(key)).toMatchObject({ hold: { owner: 'w2' }, waiters: 1 }));
    watcher.faults.goAway();
    expect(await detail()).toMatchObject({
      fresh: false,
      row: { status: 'unknown', hold: { owner: 'w2' }, waiters: 1 },
      holds: [{ owner: 'w2', token: next.token }],
      waiters: [{ owner: 'w3' }],
      lastToken: next.token,
    });
    watcher.faults.comeBack();
    await release(watcher, key, 'w2', next.token);
    await waiting;
  });

  it('shows a lock as unknown after an outage until it is read: it may be renewed', async () => {
    watcher = await rig.watch();
    const { projection } = watcher.monitoring;
    const key = freshKey();
    await takeLock(watcher, key, 'w1', { leaseMs: 60_000 });
    const counter: RecordKey = { ...freshKey(), kind: 'counter' };
    const counterRow = () => projection.counters.row(counter.namespace, counter.name);
    const bounds = { floor: null, ceiling: null };
    const fresh = { rev: 1, value: 5, createdAt: 0, lastMove: null, answersUntil: 0 };
    const { head } = encodeCounter({ ...fresh, ...bounds });
    await created(rig.engines.under.store, counter, { head, events: [counterEventOf(1)] });
    await soon(() => expect(rowOf(key)?.status).toBe('held'));
    await soon(() => expect(counterRow()?.isKnown).toBe(true));
    watcher.faults.goAway();
    await soon(() => expect(rowOf(key)?.status).toBe('unknown'));
    const silent = new StoreError('It is not there.', 'no');
    const history = vi.spyOn(watcher.faults, 'historyAfter').mockRejectedValue(silent);
    watcher.faults.comeBack();
    await soon(() => expect(watcher.engine.health().reachable).toBe(true));
    expect(rowOf(key)?.status).toBe('unknown');
    const { counts } = await projection.page(ALL);
    const held = (await projection.tallies())(key.namespace, 'default').held;
    expect([counts.unknown, held]).toEqual([1, null]);
    const listed = await projection.listing('default', listInput.parse({}), 'orders');
    expect(listed.locks).toMatchObject([{ state: 'unknown' }]);
    const { rows } = await projection.counters.page({ limit: 10 });
    expect([...rows, counterRow()].map((row) => row?.isKnown)).toEqual([false, false]);
    history.mockRestore();
    await soon(() => expect(rowOf(key)?.status).toBe('held'));
  });

  it('continues although a record cannot be read, and does not show that one as free', async () => {
    const broken = freshKey();
    await created(rig.engines.under.store, broken, { head: '{"no":"record"' });
    watcher = await rig.watch();
    const sound = freshKey();
    await takeLock(watcher, sound, 'w1', { leaseMs: 60_000 });
    await soon(() => expect(rowOf(sound)).toMatchObject({ status: 'held' }));
    expect(rowOf(broken)?.status ?? 'unknown').toBe('unknown');
    const record = await stored(rig.engines.under.store, broken);
    await swapOne(rig.engines.under.store, update(broken, record, { events: [eventOf(2)] }));
    await takeLock(watcher, freshKey(), 'w1', { leaseMs: 60_000 });
    await soon(async () =>
      expect((await watcher.monitoring.projection.page(ALL)).counts.held).toBe(2),
    );
  });

  it('removes a deleted record when its backend or only its namespace is read again', async () => {
    watcher = await rig.watch();
    const { projection } = watcher.monitoring;
    const { faults: store, engine } = watcher;
    const backend = { id: 'default', store, engine, epochOf: () => 1 };
    const stays = freshKey();
    const gone = [freshKey(), freshKey(), freshKey('other')] as const;
    for (const key of gone) {
      await release(watcher, key, 'w1', (await takeLock(watcher, key, 'w1')).token);
    }
    await takeLock(watcher, stays, 'w1', { leaseMs: 60_000 });
    await soon(async () =>
      expect((await projection.page(ALL)).counts).toMatchObject({ free: 3, held: 1 }),
    );
    await soon(() => expect(projection.isRead('default')).toBe(true));
    const remove = async (key: (typeof gone)[number]) => {
      const { rev, writer } = await stored(rig.engines.under.store, key);
      await rig.engines.under.store.deleteRecords([{ key, rev, writer }]);
    };
    await remove(gone[0]);
    await projection.resync(backend);
    expect(rowOf(gone[0])).toBe(null);
    await remove(gone[1]);
    await remove(gone[2]);
    await projection.resyncNamespace(backend, stays.namespace);
    expect(rowOf(gone[1])).toBe(null);
    expect(rowOf(gone[2])).toMatchObject({ status: 'free' });
    expect(rowOf(stays)).toMatchObject({ status: 'held' });
  });

  it('does not show a deleted record again because of a late earlier read', async () => {
    watcher = await rig.watch();
    const { store } = rig.engines.under;
    const { projection } = watcher.monitoring;
    const backend = {
      id: 'default',
      store: watcher.faults,
      engine: watcher.engine,
      epochOf: () => 1,
    };
    const [gone, counter] = [freshKey(), { ...freshKey(), kind: 'counter' as const }];
    const old = { answersUntil: 0, createdAt: 0, floor: null, ceiling: null, lastMove: null };
    const { head } = encodeCounter({ rev: 1, value: 5, ...old });
    await created(store, gone, { ...released(), events: [eventOf(1)] });
    await created(store, counter, { head, events: [counterEventOf(1)] });
    const rows = () => [rowOf(gone), projection.counters.row(counter.namespace, counter.name)];
    await soon(() => expect(rows().every((row) => row !== null)).toBe(true));

    const left = new Set<RecordKey>([gone, counter]);
    const remove = async (keys: RecordKey[]) => {
      for (const key of keys) {
        const { rev, writer } = await stored(store, key);
        await store.deleteRecords([{ key, rev, writer }]);
      }
      projection.remove(backend, keys);
    };
    watcher.faults.onRead = (read) => {
      const ours = [...left].filter(({ name }) => read.some((key) => key.name === name));
      for (const key of ours) left.delete(key);
      return { kind: 'pass', last: () => remove(ours) };
    };
    for (const key of [gone, counter]) {
      const seen = await stored(store, key);
      const events = [key === counter ? counterEventOf(2) : eventOf(2)];
      await swapOne(store, update(key, seen, { head: seen.head, events }));
    }
    await soon(() => expect(rows()).toEqual([null, null]));
    const later = freshKey();
    await takeLock(await rig.engines.join(), later, 'w1', { leaseMs: 60_000 });
    await soon(() => expect(rowOf(later)).toMatchObject({ status: 'held' }));
    expect(rows()).toEqual([null, null]);
  });

  if (can(name, 'youngGaps')) {
    it('misses no change that was under way while it began', async () => {
      const elsewhere = await rig.engines.join();
      const { under } = rig.engines;
      const [slow, quick] = [freshKey(), freshKey()];
      const asked = acquireCommand(slow, 'w1', { leaseMs: 60_000, requestId: 'r' });
      await release(elsewhere, slow, 'w0', (await takeLock(elsewhere, slow, 'w0')).token);
      const proceed = await under.stallAnswer(asked.request.key);
      const underWay = elsewhere.engine.acquire(slow, asked, WAIT);
      await pause(100);
      await takeLock(elsewhere, quick, 'w1', { leaseMs: 60_000 });
      watcher = await rig.watch();
      await soon(() => expect(rowOf(quick)).toMatchObject({ status: 'held' }));
      expect(rowOf(slow)).toMatchObject({ status: 'free' });
      await proceed();
      expect(await underWay).toMatchObject({ outcome: 'granted' });
      await soon(() => expect(rowOf(slow)).toMatchObject({ status: 'held' }));
    });
  }
});

/** The text of a free lock's record that was released just now. */
function released(): { head: string; queue: string } {
  const at = Date.now();
  const ended = {
    token: 1,
    service: 's',
    owner: 'w1',
    cause: 'released',
    grantedAt: at,
    at,
  } as const;
  const { head } = encodeRecord({ ...unwrittenRecord(at), rev: 1, lastToken: 1, ended }, null);
  return { head, queue: '' };
}
