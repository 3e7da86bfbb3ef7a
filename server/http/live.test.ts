import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LockListMessage, pageAfter } from '@/server/domain/lock-list-message';
import type { LockDetail, LockPage } from '@/server/domain/lock-row';
import { createPerson } from '@/server/operations/create-person';
import { STREAMS_MAX_PER_USER } from '@/server/trpc/stream-slots';
import { ApiHarness } from '@/test/api-harness';
import { EventStream } from '@/test/event-stream';

const PASSWORD = 'plough the seventh field';

let api: ApiHarness;
let key: string;
let cookie: string;

beforeAll(async () => {
  api = await ApiHarness.start();
  key = await api.key('orders');
  await createPerson(api.cli, { name: 'vera', role: 'viewer', password: PASSWORD });
  cookie = await api.signIn('vera', PASSWORD);
});
afterAll(() => api.close());

const take = (name: string) =>
  api.post(key, 'lock.acquire', { name, owner: 'worker-1', leaseMs: 60_000 });

function open(procedure: string, input: unknown, by = cookie): Promise<EventStream> {
  const query = encodeURIComponent(JSON.stringify(input));
  return EventStream.open(`${api.url}/api/trpc/${procedure}?input=${query}`, { cookie: by });
}

test('the lock list tells of a new lock within a second', async () => {
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
  expect(performance.now() - takenAt).toBeLessThan(3_000);
  expect(page.rows).toMatchObject([{ name: 'new lock', status: 'held' }]);
  stream.close();
});

test('a quiet lock list is told again every two seconds, so that its age can be shown', async () => {
  const stream = await open('locks.watch', { search: 'nothing like it' });
  const first = (await stream.nextValue()).data as LockListMessage;
  const second = (await stream.nextValue()).data as LockListMessage;
  expect(second.asOf - first.asOf).toBeLessThan(4_000);
  stream.close();
});

test('a lock tells of its own changes', async () => {
  await take('watched');
  const stream = await open('locks.watchDetail', { namespace: 'default', name: 'watched' });
  const before = (await stream.nextValue()).data as LockDetail;
  expect(before).toMatchObject({ fresh: true, row: { name: 'watched', status: 'held' } });
  const token = before.row.hold?.token;
  await api.post(key, 'lock.release', { name: 'watched', owner: 'worker-1', token });
  let after: LockDetail;
  do after = (await stream.nextValue()).data as LockDetail;
  while (after.row.hold);
  expect(after.row.rev).toBeGreaterThan(before.row.rev);
  stream.close();
});

test('a stream that reconnects says where it was and is served', async () => {
  const url = `${api.url}/api/trpc/locks.watch?input=${encodeURIComponent('{}')}`;
  const stream = await EventStream.open(url, { cookie, 'last-event-id': '1700000000000' });
  expect((await stream.nextValue()).data).toMatchObject({ kind: 'whole', page: { offset: 0 } });
  stream.close();
});

test('a stream ends with the session that opened it', async () => {
  const own = await api.signIn('vera', PASSWORD);
  const stream = await open('locks.watch', {}, own);
  await stream.nextValue();
  await api.console(own, 'session.signOut', undefined, 'mutation');
  let event = await stream.next();
  while (event && event.event !== 'serialized-error') event = await stream.next();
  expect(event?.data).toMatchObject({ data: { reason: 'UNAUTHENTICATED', httpStatus: 401 } });
  stream.close();
});

test('nobody watches without a session', async () => {
  const stream = await open('locks.watch', {}, '');
  let event = await stream.next();
  while (event && event.event !== 'serialized-error') event = await stream.next();
  expect(event?.data).toMatchObject({ data: { reason: 'UNAUTHENTICATED' } });
  stream.close();
});

test('one person may have so many streams and no more, and closing one makes room', async () => {
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
      { timeout: 5_000 },
    )
    .toBe('message');
});
