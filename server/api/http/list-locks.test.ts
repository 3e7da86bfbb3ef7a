import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ApiHarness, type Reply } from '@/test/api-harness';

let api: ApiHarness;
let key: string;

beforeAll(async () => {
  api = await ApiHarness.start();
  await api.namespace('billing');
  key = await api.key('orders');
});
afterAll(() => api.close());

const acquire = (name: string, more: object = {}, by = key) =>
  api.post(by, 'lock.acquire', { name, owner: 'worker-1', leaseMs: 60_000, ...more });

const list = (input: object, by = key) => api.get(by, 'lock.list', input);

const namesIn = ({ data }: Reply) =>
  ((data?.locks ?? []) as { name: string }[]).map(({ name }) => name);

/** The projection reads the change a moment later. */
const soon = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 10_000, interval: 20 });

test('lists the locks of one namespace, with holder, queue and the age of the list', async () => {
  const { token } = (await acquire('one/held')).data as { token: number };
  const waiting = acquire('one/held', { owner: 'worker-2', waitMs: 20_000 });
  await soon(async () => {
    const { status, data } = await list({ prefix: 'one/' });
    expect(status).toBe(200);
    expect(data).toMatchObject({
      locks: [
        {
          name: 'one/held',
          state: 'held',
          holders: [{ owner: 'worker-1', service: 'orders', token, holdCount: 1 }],
          queueLength: 1,
        },
      ],
      next: null,
    });
    expect(data?.ageMs).toSatisfy((ageMs: number) => Number.isInteger(ageMs) && ageMs < 5_000);
  });
  await api.post(key, 'lock.release', { name: 'one/held', owner: 'worker-1', token });
  expect((await waiting).data).toMatchObject({ outcome: 'granted' });
});

test('is paged by name and complete for any names', async () => {
  const names = ['two/ ', 'two/A', 'two/a', 'two/á', 'two/\u{ffff}', 'two/\u{1f512}'];
  for (const name of names) await acquire(name);
  await soon(async () => expect(namesIn(await list({ prefix: 'two/' }))).toEqual(names));
  const seen: string[] = [];
  for (let after: string | undefined; ; ) {
    const reply = await list({ prefix: 'two/', limit: 2, after });
    seen.push(...namesIn(reply));
    if (reply.data?.next === null) break;
    after = reply.data?.next as string;
  }
  expect(seen).toEqual(names);
});

test('with an empty prefix lists all locks, as a watch does', async () => {
  await acquire('four');
  await soon(async () => expect(namesIn(await list({ prefix: '' }))).toContain('four'));
  const watched = await api.post(key, 'lock.watch', { prefix: '', waitMs: 0 });
  expect(namesIn(watched)).toContain('four');
});

test('with `busy` omits locks that are free and have no waiters', async () => {
  const { token } = (await acquire('three/free')).data as { token: number };
  await acquire('three/held');
  await api.post(key, 'lock.release', { name: 'three/free', owner: 'worker-1', token });
  await soon(async () => {
    expect(namesIn(await list({ prefix: 'three/' }))).toEqual(['three/free', 'three/held']);
    expect(namesIn(await list({ prefix: 'three/', busy: true }))).toEqual(['three/held']);
  });
});

test('shows a key only its own namespaces', async () => {
  const both = await api.key('both', ['default', 'billing']);
  await acquire('secret plans', { namespace: 'billing' }, both);
  await soon(async () =>
    expect(namesIn(await list({ namespace: 'billing' }, both))).toEqual(['secret plans']),
  );
  expect((await list({})).text).not.toContain('secret plans');
  for (const namespace of ['billing', 'nowhere', '.lockyard']) {
    const reply = await list({ namespace });
    expect([reply.status, reply.reason]).toEqual(
      namespace.startsWith('.') ? [400, 'INVALID'] : [403, 'FORBIDDEN'],
    );
  }
});

test.each([
  ['a field it does not know', { state: 'held' }],
  ['a prefix of a wrong type', { prefix: 7 }],
  ['no locks at all', { limit: 0 }],
  ['too many at once', { limit: 1_001 }],
  ['half a lock', { limit: 1.5 }],
  ['a text for busy', { busy: 'yes' }],
  ['nothing after', { after: '' }],
])('refuses %s as INVALID', async (_, input) => {
  const { status, reason } = await list(input);
  expect([status, reason]).toEqual([400, 'INVALID']);
});
