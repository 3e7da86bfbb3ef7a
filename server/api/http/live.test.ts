import { once } from 'node:events';
import { connect } from 'node:net';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { STREAMS_MAX_PER_USER } from '@/server/api/rpc/live-stream';
import { type LockListMessage, pageAfter } from '@/server/contract/console/lock-list-message';
import type { LockDetail, LockPage } from '@/server/contract/console/lock-row';
import {
  detailAfter,
  type LockDetailMessage,
} from '@/server/contract/console/waits/lock-detail-message';
import { createUser } from '@/server/operations/users/create-user';
import { resetPassword } from '@/server/operations/users/reset-password';
import { setDisabled } from '@/server/operations/users/set-disabled';
import { setRole } from '@/server/operations/users/set-role';
import { TestClock } from '@/server/platform/testing/test-clock';
import { ApiHarness } from '@/test/api-harness';
import { EventStream } from '@/test/event-stream';
import { RequestScheduler, type ScheduledTurn } from './scheduling/request-scheduler';

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

const take = (name: string) =>
  api.post(key, 'lock.acquire', { name, owner: 'worker-1', leaseMs: 60_000 });

function open(procedure: string, input: unknown, by = cookie): Promise<EventStream> {
  const query = encodeURIComponent(JSON.stringify(input));
  return EventStream.open(`${api.url}/api/trpc/${procedure}?input=${query}`, { cookie: by });
}

test('the lock list shows a new lock within a second', async () => {
  const stream = await open('locks.watch', { search: 'new lock' });
  expect(stream.response.headers.get('content-type')).toMatch('text/event-stream');
  const first = await stream.nextValue();
  expect(first.data).toMatchObject({ kind: 'whole', page: { rows: [], matching: 0 } });
  expect(first.id).not.toBe('');
  let { page } = first.data as { page: LockPage };
  await take('new lock');
  const takenAt = performance.now();
  do page = pageAfter(page, (await stream.nextValue()).data as LockListMessage);
  while (page.rows.length === 0);
  expect(performance.now() - takenAt).toBeLessThan(8_000);
  expect(page.rows).toMatchObject([{ name: 'new lock', status: 'held' }]);
  stream.close();
});

/** Records the order in which the console's calls ran. */
class RecordingScheduler extends RequestScheduler {
  readonly turns: { begunAt: number; endedAt: number }[] = [];

  override async turn(...call: Parameters<RequestScheduler['turn']>): Promise<ScheduledTurn> {
    const turn = await super.turn(...call);
    const noted = { begunAt: performance.now(), endedAt: Number.POSITIVE_INFINITY };
    this.turns.push(noted);
    const end = turn.end.bind(turn);
    turn.end = () => {
      noted.endedAt = Math.min(noted.endedAt, performance.now());
      end();
    };
    return turn;
  }
}

/** A server that a program calls, and the cookie of a viewer. */
async function startBusyServer() {
  // Its clock never moves: a program that has called is calling, however slow the machine is.
  const scheduler = new RecordingScheduler(new TestClock());
  const own = await ApiHarness.start({}, { scheduler });
  await createUser(own.cli, { name: 'vera', role: 'viewer', password: PASSWORD });
  const by = await own.signIn('vera', PASSWORD);
  const ask = { name: 'busy', owner: 'worker-1', leaseMs: 60_000 };
  await own.post(await own.key('orders'), 'lock.acquire', ask);
  scheduler.turns.length = 0;
  return { own, by, scheduler };
}

test('streams that open together begin one after another while programs call', async () => {
  const { own, by, scheduler } = await startBusyServer();
  const input = encodeURIComponent('{}');
  const streams = await Promise.all(
    Array.from({ length: 6 }, () =>
      EventStream.open(`${own.url}/api/trpc/locks.watch?input=${input}`, { cookie: by }),
    ),
  );
  for (const stream of streams) {
    expect((await stream.nextValue()).data).toMatchObject({ kind: 'whole' });
  }
  const { turns } = scheduler;
  expect(turns).toHaveLength(6);
  for (const [i, { begunAt, endedAt }] of turns.entries()) {
    expect(begunAt).toBeGreaterThanOrEqual(turns[i - 1]?.endedAt ?? 0);
    expect(endedAt - begunAt).toBeGreaterThan(38);
  }
  for (const stream of streams) stream.close();
  await own.close();
});

test('a stream whose page was closed while it waited for its turn is never opened', async () => {
  const { own, by, scheduler } = await startBusyServer();
  const { host, port, hostname } = new URL(own.url);
  const head = `Host: ${host}\r\nCookie: ${by}\r\nAccept: text/event-stream`;
  const pages = Array.from({ length: 6 }, () => connect(Number(port), hostname));
  await Promise.all(pages.map((page) => once(page, 'connect')));
  for (const page of pages) {
    page.on('error', () => undefined);
    page.write(`GET /api/trpc/locks.watch?input=%7B%7D HTTP/1.1\r\n${head}\r\n\r\n`);
  }
  const [first] = pages;
  if (first) await once(first, 'data');
  for (const page of pages) page.destroy();
  const openStreams = async () =>
    /^lockyard_open_streams (\d+)/m.exec(await (await fetch(`${own.url}/metrics`)).text())?.[1];
  const ended = () => scheduler.turns.filter(({ endedAt }) => Number.isFinite(endedAt)).length;
  await expect.poll(ended, { timeout: 15_000 }).toBe(pages.length);
  await expect.poll(openStreams).toBe('0');
  await own.close();
});

test('an unchanged lock list is sent again every 2 s, so that its age can be shown', async () => {
  const stream = await open('locks.watch', { search: 'nothing like it' });
  const first = (await stream.nextValue()).data as LockListMessage;
  const second = (await stream.nextValue()).data as LockListMessage;
  expect(second.asOf - first.asOf).toBeLessThan(8_000);
  stream.close();
});

/** The lock after the next message of its stream. */
async function nextDetail(stream: EventStream, before: LockDetail | null): Promise<LockDetail> {
  const after = detailAfter(before, (await stream.nextValue()).data as LockDetailMessage);
  if (!after) throw new Error('The first message of a lock is not whole.');
  return after;
}

test('the stream of a lock sends its changes', async () => {
  await take('watched');
  const stream = await open('locks.watchDetail', { namespace: 'default', name: 'watched' });
  const before = await nextDetail(stream, null);
  expect(before).toMatchObject({ fresh: true, row: { name: 'watched', status: 'held' } });
  const token = before.row.hold?.token;
  await api.post(key, 'lock.release', { name: 'watched', owner: 'worker-1', token });
  let after = before;
  do after = await nextDetail(stream, after);
  while (after.row.hold);
  expect(after.row.rev).toBeGreaterThan(before.row.rev);
  stream.close();
});

test('a stream of a lock sends the queue once, then only waiters that left or joined', async () => {
  const name = 'queued for';
  await take(name);
  const wait = (owner: string) =>
    api.post(key, 'lock.acquire', {
      name,
      owner,
      leaseMs: 9_000,
      waitMs: 60_000,
      requestId: owner,
    });
  const waits = ['w1', 'w2', 'w3'].map(wait);
  const stream = await open('locks.watchDetail', { namespace: 'default', name });
  let lock = await nextDetail(stream, null);
  while (lock.waiters.length < 3) lock = await nextDetail(stream, lock);

  const [first, ...others] = lock.waiters;
  const { owner: leaving = '' } = first ?? {};
  await api.post(key, 'lock.cancel', { name, owner: leaving, requestId: leaving });
  waits.push(wait('w4'));
  const sent: string[] = [];
  while (lock.waiters.at(-1)?.owner !== 'w4' || lock.waiters.length > 3) {
    const message = (await stream.nextValue()).data as LockDetailMessage;
    expect(message.kind).toBe('changes');
    if (message.kind === 'changes') sent.push(...message.queue.waiters.map(({ owner }) => owner));
    lock = detailAfter(lock, message);
  }
  expect(sent).toEqual(['w4']);
  expect(lock.waiters.slice(0, 2)).toEqual(others);
  expect(lock.waiters).not.toContainEqual(first);
  stream.close();
  for (const owner of ['w1', 'w2', 'w3', 'w4']) {
    await api.post(key, 'lock.cancel', { name, owner, requestId: owner });
  }
  await Promise.all(waits);
});

test('a stream that reconnects sends its position and resumes', async () => {
  const url = `${api.url}/api/trpc/locks.watch?input=${encodeURIComponent('{}')}`;
  const stream = await EventStream.open(url, { cookie, 'last-event-id': '1700000000000' });
  const first = await stream.nextValue();
  expect(first.data).toMatchObject({ kind: 'whole', page: { offset: 0 } });
  stream.close();
  await take('while no page was open');
  const again = await EventStream.open(url, { cookie, 'last-event-id': first.id });
  let { page } = first.data as { page: LockPage };
  do {
    const message = (await again.nextValue()).data as LockListMessage;
    expect(message.kind).toBe('changes');
    page = pageAfter(page, message);
  } while (page.rows.every(({ name }) => name !== 'while no page was open'));
  again.close();
});

/** How long after `act` a stream of this session ends, and with what. */
async function endAfter(by: string, act: () => Promise<unknown>) {
  const stream = await open('locks.watch', { search: 'nothing like it' }, by);
  await stream.nextValue();
  const before = performance.now();
  await act();
  let event = await stream.next();
  while (event && event.event !== 'serialized-error') event = await stream.next();
  const tookMs = performance.now() - before;
  stream.close();
  return { tookMs, data: (event?.data as { data: object } | undefined)?.data };
}

test('a stream ends within a second of the session that opened it', async () => {
  const own = await api.signIn('vera', PASSWORD);
  const { tookMs, data } = await endAfter(own, () =>
    api.console(own, 'session.signOut', undefined, 'mutation'),
  );
  expect(data).toMatchObject({ reason: 'UNAUTHENTICATED', httpStatus: 401 });
  expect(tookMs).toBeLessThan(8_000);
});

const acts: [string, string, (id: string) => Promise<unknown>][] = [
  ['was disabled', 'UNAUTHENTICATED', (id) => setDisabled(api.cli, { id, disabled: true })],
  ['has another role', 'CONFLICT', (id) => setRole(api.cli, { id, role: 'operator' })],
  [
    'has another password',
    'UNAUTHENTICATED',
    (id) => resetPassword(api.cli, { id, password: `${PASSWORD}s` }),
  ],
];
test.each(acts)('a stream ends within a second of its user who %s', async (what, reason, act) => {
  const name = `who ${what}`;
  const { id } = await createUser(api.cli, { name, role: 'viewer', password: PASSWORD });
  const { tookMs, data } = await endAfter(await api.signIn(name, PASSWORD), () => act(id));
  expect(data).toMatchObject({ reason });
  expect(tookMs).toBeLessThan(8_000);
});

test('a stream ends within a second of a session that another process has ended', async () => {
  const { id } = await createUser(api.cli, { name: 'far', role: 'viewer', password: PASSWORD });
  const { db, tables } = api.runtime.database;
  const { tookMs, data } = await endAfter(await api.signIn('far', PASSWORD), () =>
    db.update(tables.users).set({ disabledAt: 1 }).where(eq(tables.users.id, id)),
  );
  expect(data).toMatchObject({ reason: 'UNAUTHENTICATED' });
  expect(tookMs).toBeLessThan(8_000);
});

test('a stream without a session is refused', async () => {
  const stream = await open('locks.watch', {}, '');
  let event = await stream.next();
  while (event && event.event !== 'serialized-error') event = await stream.next();
  expect(event?.data).toMatchObject({ data: { reason: 'UNAUTHENTICATED' } });
  stream.close();
});

test('one user may have a limited number of streams, and closing one allows another', async () => {
  const openOne = () => open('locks.watch', {});
  const all = await Promise.all(Array.from({ length: STREAMS_MAX_PER_USER }, openOne));
  await Promise.all(all.map((stream) => stream.nextValue()));
  const refused = await openOne();
  let event = await refused.next();
  while (event && event.event !== 'serialized-error') event = await refused.next();
  expect(event?.data).toMatchObject({ data: { reason: 'RATE_LIMITED', retryAfterMs: 5_000 } });
  for (const stream of [refused, ...all]) stream.close();
  await expect
    .poll(
      async () => {
        const again = await openOne();
        let next = await again.next();
        while (next?.event === 'connected') next = await again.next();
        again.close();
        return next?.event;
      },
      { timeout: 15_000 },
    )
    .toBe('message');
});
