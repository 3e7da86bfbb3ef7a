import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type {
  CounterDetail,
  CounterMoveRow,
  CounterPage,
} from '@/server/contract/console/counter-row';
import type { EventRow, LockDetail, LockPage } from '@/server/contract/console/lock-row';
import type { LockTimeline } from '@/server/contract/console/past/lock-timeline';
import type { PastMinute } from '@/server/contract/console/past/past-minute';
import type { HoldersPage } from '@/server/contract/console/waits/holder-rows';
import type { WaitGraph } from '@/server/contract/console/waits/wait-graph';
import type { LockEvent } from '@/server/core/lock/lock-event';
import { eventRows, insertionsOf } from '@/server/monitoring/history/recorder/event-rows';
import { setCounterBounds } from '@/server/operations/counters/for-people/set-counter-bounds';
import { insertUserActors, userActor } from '@/server/operations/testing/test-runtime';
import { createUser } from '@/server/operations/users/create-user';
import { ApiHarness } from '@/test/api-harness';

/** How far a busy server's estimate of its backend's clock may be off. */
const CLOCKS_APART_MS = 100;
const PASSWORD = 'plough the seventh field';

let api: ApiHarness;
let key: string;
let cookie: string;

beforeAll(async () => {
  api = await ApiHarness.start();
  key = await api.key('orders');
  await createUser(api.cli, { name: 'vera', role: 'viewer', password: PASSWORD });
  cookie = await api.signIn('vera', PASSWORD);
});
afterAll(() => api.close());

const lock = (name: string, owner: string, more: object = {}) =>
  api.post(key, 'lock.acquire', { name, owner, leaseMs: 60_000, ...more });
const ask = async <T>(procedure: string, input?: object) =>
  (await api.console(cookie, procedure, input, 'query')).data as unknown as T;

const somethingIsRecorded = () =>
  vi.waitFor(
    async () => {
      const { events } = await ask<{ events: number | null }>('past.range');
      expect(events).not.toBeNull();
    },
    { timeout: 10_000 },
  );

test('past pages show who held and awaited a lock then, with lease and renewals', async () => {
  const { data: held } = await lock('past', 'w1', { meta: { host: 'h1', pid: '7' } });
  const grantedAt = Number(held?.expiresAt) - 60_000;
  const waiting = lock('past', 'w2', { waitMs: 20_000 });
  const page = () => ask<WaitGraph>('waits.graph', {});
  await vi.waitFor(async () => expect((await page()).waiting).toBe(1), { timeout: 10_000 });
  const at = Date.now() + CLOCKS_APART_MS;
  await expect.poll(() => Date.now()).toBeGreaterThan(at + CLOCKS_APART_MS);
  await api.post(key, 'lock.release', { name: 'past', owner: 'w1', token: held?.token });
  await waiting;

  await somethingIsRecorded();
  const ref = { namespace: 'default', name: 'past', at };
  const detail = await vi.waitFor(
    async () => {
      const found = await ask<LockDetail>('locks.detail', ref);
      expect(found).toMatchObject({ asOf: at, past: { at, isCut: false, isLagging: false } });
      return found;
    },
    { timeout: 15_000 },
  );
  expect(detail.row.status).toBe('contended');
  expect(detail.holds).toMatchObject([
    { owner: 'w1', token: held?.token, grantedAt, leaseMs: 60_000, expiresAt: held?.expiresAt },
  ]);
  expect(detail.holds[0]?.meta).toMatchObject({ host: 'h1', pid: '7' });
  expect(detail.waiters).toMatchObject([{ owner: 'w2', service: 'orders' }]);
  const { patienceUntil = 0, enqueuedAt = 0 } = detail.waiters[0] ?? {};
  const patienceMs = patienceUntil - enqueuedAt;
  expect(patienceMs).toBeLessThanOrEqual(20_000);
  // On a busy machine, some of it passes before the caller is queued.
  expect(patienceMs).toBeGreaterThan(10_000);

  const list = await ask<LockPage>('locks.list', { at, search: 'past' });
  expect(list.rows).toMatchObject([{ name: 'past', status: 'contended', waiters: 1 }]);
  const graph = await ask<WaitGraph>('waits.graph', { at });
  expect(graph.owners.map(({ owner }) => owner).sort()).toEqual(['w1', 'w2']);
  const holders = await ask<HoldersPage>('holders.list', { at });
  expect(holders.rows).toMatchObject([
    { owners: ['w1'], host: 'h1', blocked: 1 },
    { owners: ['w2'] },
  ]);

  const events = async (more: object) => {
    const { rows } = await ask<{ rows: EventRow[] }>('locks.events', {
      namespace: 'default',
      name: 'past',
      ...more,
    });
    return rows.map(({ kind, owner }) => `${owner} ${kind}`);
  };
  await vi.waitFor(async () => expect((await events({}))[0]).toBe('w2 granted'), {
    timeout: 10_000,
  });
  expect(await events({ until: detail.row.readAt })).toEqual(['w2 queued', 'w1 granted']);

  const step = { at: grantedAt - CLOCKS_APART_MS, namespace: 'default', name: 'past' };
  const next = await ask<{ at: number }>('past.change', { ...step, direction: 'next' });
  // The clocks of server and backend need not agree to the millisecond.
  expect(Math.abs(next.at - grantedAt)).toBeLessThan(CLOCKS_APART_MS);
  const none = await ask<{ at: null }>('past.change', { ...step, direction: 'previous' });
  expect(none.at).toBeNull();
});

test('an instant that cannot be shown is refused with the reason', async () => {
  await lock('recorded', 'w1');
  await somethingIsRecorded();
  const list = (at: unknown) => api.console(cookie, 'locks.list', { at }, 'query');
  expect(await list(Date.now() + 60_000)).toMatchObject({ status: 400, reason: 'INVALID' });
  expect(await list('yesterday')).toMatchObject({ status: 400, reason: 'INVALID' });
  expect(await list(-1)).toMatchObject({ status: 400, reason: 'INVALID' });
  expect(await list(Number.MAX_SAFE_INTEGER)).toMatchObject({ status: 400, reason: 'INVALID' });
  const early = await list(Date.UTC(2020, 0));
  expect(early).toMatchObject({ status: 404, reason: 'NOT_FOUND' });
  const since = Number(early.error?.data.recordedSince);
  expect(since).toBe((await ask<{ events: number }>('past.range')).events);
  const text = `at: is before the first recorded event, at ${new Date(since).toISOString()}.`;
  expect(early.error?.message).toBe(text);
  expect(await api.console(null, 'past.range', undefined, 'query')).toMatchObject({ status: 401 });
});

test('a change is sought of one lock, or of all, but not by half of what names one', async () => {
  const change = (half: object) =>
    api.console(cookie, 'past.change', { at: 1, direction: 'next', ...half }, 'query');
  const refused = { status: 400, reason: 'INVALID' };
  expect(await change({ name: 'past' })).toMatchObject({
    ...refused,
    error: { message: 'namespace: is missing beside a name' },
  });
  expect(await change({ namespace: 'default' })).toMatchObject({
    ...refused,
    error: { message: 'name: is missing beside a namespace' },
  });
});

test('a counter has the value that it had then, and none before it was created', async () => {
  const name = 'stock';
  await api.post(key, 'counter.create', { name, initial: 10 });
  const created = await soonOf(name, 'created');
  const before = created + CLOCKS_APART_MS;
  await expect.poll(() => Date.now()).toBeGreaterThan(before + CLOCKS_APART_MS);
  await api.post(key, 'counter.add', { name, delta: 5 });
  const added = (await soonOf(name, 'added')) + CLOCKS_APART_MS;
  await expect.poll(() => Date.now()).toBeGreaterThan(added);
  const ref = { namespace: 'default', name };
  const valueAt = async (at: number) =>
    (await ask<CounterDetail>('counters.detail', { ...ref, at })).row.value;
  expect(await valueAt(added)).toBe(15);
  expect(await valueAt(before)).toBe(10);
  const list = await ask<CounterPage>('counters.list', { at: added });
  expect(list.rows).toMatchObject([{ name, value: 15, isKnown: true }]);
  expect(list).toMatchObject({ matching: 1, total: 1 });
  const none = await ask<CounterPage>('counters.list', { at: created - CLOCKS_APART_MS });
  expect(none).toMatchObject({ rows: [], matching: 0, total: 0 });
  const { row } = await ask<CounterDetail>('counters.detail', { ...ref, at: before });
  const moves = { ...ref, until: row.readAt };
  expect((await ask<{ rows: CounterMoveRow[] }>('counters.moves', moves)).rows).toMatchObject([
    { kind: 'created', value: 10 },
  ]);
  const early = await api.console(
    cookie,
    'counters.detail',
    { ...ref, at: created - CLOCKS_APART_MS },
    'query',
  );
  expect(early).toMatchObject({ status: 404, reason: 'NOT_FOUND' });
});

test('a counter whose last change was of its bounds shows the step before that', async () => {
  const name = 'rebound';
  const ref = { namespace: 'default', name };
  await api.post(key, 'counter.create', { name, initial: 10 });
  const { data: step } = await api.post(key, 'counter.add', { name, delta: 5 });
  const bounds = { seenBounds: { floor: null, ceiling: null }, bounds: { floor: 0, ceiling: 20 } };
  await insertUserActors(api.runtime.database);
  const operator = { ...api.cli, actor: userActor('operator') };
  await setCounterBounds(operator, { ...ref, rev: Number(step?.rev), ...bounds, reason: 'r' });
  const rebound = (await soonOf(name, 'rebound')) + CLOCKS_APART_MS;
  await expect.poll(() => Date.now()).toBeGreaterThan(rebound);
  await api.post(key, 'counter.add', { name, delta: 1 });
  const { row } = await ask<CounterDetail>('counters.detail', { ...ref, at: rebound });
  expect(row).toMatchObject({ value: 15, floor: 0, lastMove: { delta: 5, who: 'orders' } });
});

/** When a recorded change of a counter happened. */
async function soonOf(name: string, kind: string): Promise<number> {
  return vi.waitFor(
    async () => {
      const moves = await ask<{ rows: CounterMoveRow[] }>('counters.moves', {
        namespace: 'default',
        name,
        limit: 5,
      });
      const move = moves.rows.find((row) => row.kind === kind);
      if (!move) throw new Error('It is not recorded yet.');
      return move.at;
    },
    { timeout: 10_000, interval: 50 },
  );
}

test('an instant without recorded events is answered with the roll-ups of its minute', async () => {
  const asked = Date.now();
  await lock('counted', 'w1');
  const now = Date.now();
  const minute = async () => {
    const found = await Promise.all(
      [asked, now, now + 1_000].map((at) => ask<PastMinute | null>('past.minute', { at })),
    );
    return found.flatMap((each) => each?.rows ?? []).find((row) => row.name === 'counted');
  };
  await vi.waitFor(async () => expect(await minute()).toMatchObject({ grants: 1, forced: 0 }), {
    timeout: 20_000,
    interval: 200,
  });
});

test('a lock of a backend that is no longer configured has a past, but no present', async () => {
  const { database } = api.runtime;
  const ref = { namespace: 'left', name: 'report' };
  const { namespaces } = database.tables;
  await database.db.insert(namespaces).values({ id: 'left', backend: 'gone', createdAt: 0 });
  const grantedAt = Date.now() - 1_000;
  const commit = (kind: LockEvent['kind'], at: number, rev: number, more: object) => {
    const event = { kind, at, rev, service: 'orders', owner: 'w1', token: 7, ...more };
    return { id: rev, at, changes: [{ key: ref, rev, events: [event] }] };
  };
  const granted = commit('granted', grantedAt, 1, { waitedMs: 0, expiresAt: grantedAt + 60_000 });
  const released = commit('released', grantedAt + 500, 2, { heldMs: 500 });
  const regranted = commit('granted', grantedAt + 700, 3, {
    ...{ token: 8, owner: 'w2', waitedMs: 0, expiresAt: grantedAt + 60_000 },
  });
  const rows = eventRows('gone', [granted, released, regranted]);
  await database.raw.batch(insertionsOf(database.kind, rows), false);
  const away = { status: 503, reason: 'BACKEND_DOWN' };
  const why = 'Namespace "left" is on backend "gone", not configured on this server.';
  for (const procedure of ['locks.detail', 'counters.detail']) {
    const answer = await api.console(cookie, procedure, ref, 'query');
    expect(answer).toMatchObject({ ...away, error: { message: why } });
  }
  const then = await ask<LockDetail>('locks.detail', { ...ref, at: grantedAt + 250 });
  expect(then).toMatchObject({ row: { status: 'held' }, backend: { id: 'gone' }, fresh: true });
  const between = await ask<LockDetail>('locks.detail', { ...ref, at: grantedAt + 600 });
  expect(between).toMatchObject({ row: { status: 'free' }, holds: [], fresh: true });
  // Nothing says how the last hold ended.
  const after = await ask<LockDetail>('locks.detail', { ...ref, at: grantedAt + 800 });
  expect(after).toMatchObject({ row: { status: 'unknown' }, fresh: false });
  expect(after.holds).toMatchObject([{ owner: 'w2', token: 8 }]);
  const span = { spanMs: 60_000, to: grantedAt + 600 };
  const timeline = await ask<LockTimeline>('insights.timeline', { ...ref, ...span });
  expect(timeline.holds).toMatchObject([{ owner: 'w1', from: grantedAt, to: grantedAt + 500 }]);
  expect(await api.console(cookie, 'insights.lock', ref, 'query')).toMatchObject({ status: 200 });
});
