import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { shutDown } from '@/server/bootstrap/shutdown/shut-down';
import type { ChangeKeyInput } from '@/server/contract/console/access-inputs';
import { watchTarget } from '@/server/monitoring/watch/watch-target';
import { changeApiKey } from '@/server/operations/api-keys/change-api-key';
import { createApiKey } from '@/server/operations/api-keys/create-api-key';
import { revokeApiKey } from '@/server/operations/api-keys/revoke-api-key';
import { ApiHarness, type Reply } from '@/test/api-harness';
import { EventStream } from '@/test/event-stream';

interface Lock {
  name: string;
  state: string;
  rev: number;
  holders: { owner: string; token: number; role?: string }[];
  queueLength: number;
}
interface Answer {
  locks: Lock[];
  position: string;
  reset: boolean;
  more: boolean;
}

let api: ApiHarness;
let key: string;

beforeAll(async () => {
  api = await ApiHarness.start();
  key = await api.key('orders');
  await api.namespace('billing');
  await isRead(api);
});
afterAll(() => api.close());

/** Resolves once a server has read its store for the first time. */
const isRead = ({ runtime }: ApiHarness) =>
  vi.waitFor(() => expect(runtime.projection.isRead('default')).toBe(true), { timeout: 10_000 });

const ask = (input: object, by = key) => api.post(by, 'lock.watch', input);

async function watch(input: object, by = key): Promise<Answer> {
  const reply = await ask(input, by);
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.data as unknown as Answer;
}

/** The current states, and the position from which to continue. */
const now = (input: object) => watch({ ...input, waitMs: 0 });

async function acquire(name: string, more: object = {}): Promise<number> {
  const ask = { name, owner: 'worker-1', leaseMs: 60_000, ...more };
  return (await api.post(key, 'lock.acquire', ask)).data?.token as number;
}

const release = (name: string, token: number) =>
  api.post(key, 'lock.release', { name, owner: 'worker-1', token });

describe('a request for changes', () => {
  test('answers the current states first, then each change once, wherever it resumes', async () => {
    const names = ['one/b', 'one/a'];
    const first = await now({ names });
    expect(first).toMatchObject({ reset: false, more: false });
    expect(first.locks.map(({ name, state }) => [name, state])).toEqual([
      ['one/a', 'free'],
      ['one/b', 'free'],
    ]);

    const waiting = watch({ names, since: first.position });
    const token = await acquire('one/a', { meta: { role: 'leader' } });
    const second = await waiting;
    expect(second.locks).toMatchObject([
      { name: 'one/a', state: 'held', holders: [{ owner: 'worker-1', token, role: 'leader' }] },
    ]);

    // Between two requests: only the last state is answered, immediately.
    await release('one/a', token);
    const last = await acquire('one/a');
    await expect
      .poll(async () => (await watch({ names, since: second.position, waitMs: 0 })).locks)
      .toMatchObject([{ name: 'one/a', holders: [{ token: last }] }]);
    const again = await watch({ names: ['one/a', 'one/b'], since: second.position });
    expect(again.locks).toHaveLength(1);
    expect(await watch({ names, since: again.position, waitMs: 300 })).toMatchObject({
      locks: [],
      reset: false,
    });
  });

  test('is answered when a lease expires, and not for a renewal', async () => {
    const token = await acquire('two', { leaseMs: 6_000 });
    await expect.poll(async () => (await now({ names: ['two'] })).locks[0]?.state).toBe('held');
    const { position } = await now({ names: ['two'] });
    const renewal = { name: 'two', owner: 'worker-1', token, leaseMs: 6_000 };
    await api.post(key, 'lock.renew', renewal);
    const quiet = await watch({ names: ['two'], since: position, waitMs: 600 });
    expect(quiet.locks).toEqual([]);
    const lapsed = await watch({ names: ['two'], since: quiet.position, waitMs: 20_000 });
    expect(lapsed.locks).toMatchObject([{ name: 'two', state: 'expired', holders: [] }]);
  });

  test('by prefix includes locks created later, and omits those free at first', async () => {
    await release('three/free', await acquire('three/free'));
    const held = await acquire('three/held');
    const input = { prefix: 'three/' };
    await expect
      .poll(async () => (await now(input)).locks.map(({ name }) => name))
      .toEqual(['three/held']);
    const { position } = await now(input);
    const next = watch({ ...input, since: position });
    await acquire('3 elsewhere');
    await acquire('three/new');
    const changes = await next;
    expect(changes.locks).toMatchObject([{ name: 'three/new', state: 'held' }]);
    await release('three/held', held);
    const freed = await watch({ ...input, since: changes.position });
    expect(freed.locks).toMatchObject([{ name: 'three/held', state: 'free', holders: [] }]);
  });

  test('is answered completely in pages of 500 for very many locks', async () => {
    const names = Array.from({ length: 520 }, (_, i) => `many/${i}`);
    for (let i = 0; i < names.length; i += 20) {
      const locks = names.slice(i, i + 20).map((name) => ({ name }));
      await api.post(key, 'lock.acquireMany', { locks, owner: 'w', leaseMs: 600_000 });
    }
    for (const input of [{ names }, { prefix: 'many/' }]) {
      await expect.poll(() => held(input), { timeout: 10_000 }).toEqual(new Set(names));
    }
  });

  /** The names of all held locks among the current states. */
  async function held(input: object): Promise<Set<string>> {
    const found = new Set<string>();
    for (let since: string | undefined; ; ) {
      const answer = await watch({ ...input, since, waitMs: 0 });
      expect(answer.locks.length).toBeLessThanOrEqual(500);
      for (const { name, state } of answer.locks) if (state === 'held') found.add(name);
      if (!answer.more) return found;
      since = answer.position;
    }
  }

  test('from a position no longer kept says so, and starts with the current states', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lockyard-watch-'));
    const start = async () => {
      const server = await ApiHarness.start({ LOCKYARD_DATA_DIR: folder });
      await isRead(server);
      return server;
    };
    const before = await start();
    const own = await before.key('orders');
    const held = { name: 'four', owner: 'worker-1', leaseMs: 60_000 };
    const { data } = await before.post(own, 'lock.acquire', held);
    const ask = async (server: ApiHarness, input: object) =>
      (await server.post(own, 'lock.watch', input)).data as unknown as Answer;
    const { position } = await ask(before, { names: ['four'], waitMs: 0 });
    const others = await ask(before, { names: ['other'], waitMs: 0 });
    const mixedUp = await ask(before, { names: ['four'], since: others.position });
    expect(mixedUp).toMatchObject({ reset: true, locks: [{ name: 'four' }] });
    await before.close();

    const after = await start();
    const answer = await ask(after, { names: ['four'], since: position });
    const { token } = data as { token: number };
    expect(answer).toMatchObject({ reset: true, locks: [{ state: 'held', holders: [{ token }] }] });
    await after.close();
    await rm(folder, { recursive: true });
  });
});

describe('refuses', () => {
  const tooMany = Array.from({ length: 1_001 }, (_, i) => `${i}`);

  test.each([
    ['neither names nor a prefix', {}],
    ['both', { names: ['a'], prefix: 'a' }],
    ['no names', { names: [] }],
    ['1,001 names', { names: tooMany }],
    ['an empty name', { names: [''] }],
    ['a name that is too long', { names: ['x'.repeat(201)] }],
    ['a prefix that is too long', { prefix: 'x'.repeat(201) }],
    ['a text for names', { names: 'a' }],
    ['a longer wait than 25 s', { names: ['a'], waitMs: 25_001 }],
    ['half a millisecond', { names: ['a'], waitMs: 0.5 }],
    ['a position that is none', { names: ['a'], since: 'yesterday' }],
    ['an endless position', { names: ['a'], since: 'x'.repeat(501) }],
    ['an empty position', { names: ['a'], since: '' }],
    ['a field it does not know', { names: ['a'], from: 'a' }],
  ])('%s as INVALID', async (_, input) => {
    const replies = [await ask(input), await stream(input).then(refusalOf)];
    for (const { status, reason } of replies) expect([status, reason]).toEqual([400, 'INVALID']);
  });

  test.each(['[]', 'null', '"one"'])('%s, also where a stream resumes', async (input) => {
    const { reason, error } = await refusalOf(await stream(input, key, { 'last-event-id': 'x' }));
    expect([reason, error?.message]).toEqual(['INVALID', 'The input must be an object']);
  });

  test('another namespace, no key, a broken body and a wait in a batch of calls', async () => {
    const elsewhere = { namespace: 'billing', names: ['a'] };
    expect((await ask(elsewhere)).reason).toBe('FORBIDDEN');
    expect((await refusalOf(await stream(elsewhere))).reason).toBe('FORBIDDEN');
    expect((await refusalOf(await stream({ names: ['a'] }, 'no key'))).status).toBe(401);
    expect((await refusalOf(await stream('{'))).reason).toBe('INVALID');
    const batch = (waitMs: number) =>
      api.send('/api/v1/lock.watch,lock.watch?batch=1', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ 0: { names: ['a'], waitMs }, 1: { names: ['a'], waitMs: 0 } }),
      });
    expect((await batch(100)).text).toContain('a batch may not wait');
    expect((await batch(0)).status).toBe(200);
  });

  test('takes 1,000 names', async () => {
    const { locks, more } = await now({ names: tooMany.slice(1) });
    expect([locks.length, more]).toEqual([500, true]);
  });
});

describe('an event stream', () => {
  test('sends the current states, then changes, and resumes after the last event', async () => {
    const names = ['five'];
    const events = await open(await stream({ names }));
    const first = await nextAnswer(events);
    expect(first.locks).toMatchObject([{ name: 'five', state: 'free' }]);
    const token = await acquire('five');
    const { id, data } = await events.nextValue();
    expect(data).toMatchObject({ locks: [{ state: 'held', holders: [{ token }] }], position: id });
    events.close();

    await release('five', token);
    const resumed = await open(await stream({ names }, key, { 'last-event-id': id }));
    expect(await nextAnswer(resumed)).toMatchObject({ locks: [{ state: 'free' }], reset: false });
    resumed.close();
  });

  test('sends a slow reader only the last state of each lock, once', async () => {
    const { watches } = api.runtime.projection;
    const target = watchTarget('default', 'orders', {
      namespace: 'default',
      names: ['six/a', 'six/b'],
    });
    const { signal } = new AbortController();
    const answers = watches.follow(target, null, {
      waitMs: 10_000,
      signal,
      onWaiting: () => {},
      isPolled: false,
    });
    await answers.next();
    for (const name of ['six/a', 'six/b']) {
      for (let i = 0; i < 10; i += 1) await release(name, await acquire(name));
      await acquire(name);
    }
    const seen: string[] = [];
    while (!seen.includes('six/b held')) {
      const { locks } = (await answers.next()).value as Answer;
      seen.push(...locks.map(({ name, state }) => `${name} ${state}`));
    }
    expect(seen).toContain('six/a held');
    expect(seen.length).toBeLessThan(10);
    await answers.return();
  });

  test('is closed when its caller disconnects', async () => {
    const { watches } = api.runtime.projection;
    const events = await open(await stream({ names: ['six'] }));
    await nextAnswer(events);
    expect(watches.count).toBe(1);
    events.close();
    await expect.poll(() => watches.count).toBe(0);
  });
});

describe('a key', () => {
  test('that is revoked ends its watches within seconds', async () => {
    const revoked = await api.key('revoked');
    const { position } = await watch({ names: ['seven'], waitMs: 0 }, revoked);
    const waiting = ask({ names: ['seven'], since: position }, revoked);
    const events = await open(await stream({ names: ['seven'] }, revoked));
    await nextAnswer(events);
    await revokeApiKey(api.cli, { id: await api.keyId('revoked') });
    const revokedAt = performance.now();
    const [reply, refused] = [await waiting, await events.next()];
    expect([reply.status, reply.reason]).toEqual([401, 'UNAUTHENTICATED']);
    expect(refused).toMatchObject({
      event: 'refused',
      data: { error: { data: { reason: 'UNAUTHENTICATED', path: 'lock.watch' } } },
    });
    expect(await events.next()).toBeNull();
    expect(performance.now() - revokedAt).toBeLessThan(10_000);
  });

  test.each([
    ['verbs', { verbs: ['acquire'] }, 'missingVerb', { prefix: 'narrow/' }],
    ['prefix', { prefix: 'narrow/less' }, 'missingPrefix', { prefix: 'narrow/' }],
    ['names', { prefix: 'narrow/less' }, 'missingPrefix', { names: ['narrow/a'] }],
    ['namespaces', { namespaces: ['billing'] }, 'missingNamespace', { prefix: 'narrow/' }],
  ] as const)('that is narrowed in its %s ends watches of more', async (what, less, detail, of) => {
    const name = `narrowed-${what}`;
    const wide = { name, namespaces: ['default'], prefix: 'narrow/' };
    const { id, key: narrowed } = await createApiKey(api.cli, wide);
    const { position } = await watch({ ...of, waitMs: 0 }, narrowed);
    const waiting = ask({ ...of, since: position }, narrowed);
    const events = await open(await stream(of, narrowed));
    await nextAnswer(events);
    await changeApiKey(api.cli, { id, ...less } as ChangeKeyInput);
    const changedAt = performance.now();
    const [reply, refused] = [await waiting, await events.next()];
    expect(reply).toMatchObject({ status: 403, error: { data: { detail } } });
    expect(refused).toMatchObject({
      event: 'refused',
      data: { error: { data: { reason: 'FORBIDDEN', detail, path: 'lock.watch' } } },
    });
    expect(performance.now() - changedAt).toBeLessThan(10_000);
  });

  test('keeps a watch if the key is narrowed to what it watches, or widened', async () => {
    const wide = { name: 'kept', namespaces: ['default'], prefix: 'kept/' };
    const { id, key: kept } = await createApiKey(api.cli, wide);
    const of = { prefix: 'kept/some' };
    const events = await open(await stream(of, kept));
    const { position } = await nextAnswer(events);
    for (const change of [{ prefix: 'kept/s', verbs: ['read' as const] }, { prefix: null }]) {
      await changeApiKey(api.cli, { id, ...change });
      // Lasts longer than two checks.
      const quiet = await watch({ ...of, since: position, waitMs: 1_200 }, kept);
      expect(quiet.locks).toEqual([]);
    }
    await acquire('kept/some/lock');
    expect((await nextAnswer(events)).locks).toMatchObject([{ name: 'kept/some/lock' }]);
    events.close();
  });

  test('may have a limited number of open watches, without affecting other keys', async () => {
    const small = await ApiHarness.start({ LOCKYARD_WATCHES_PER_KEY: '2' });
    const [mine, other] = [await small.key('orders'), await small.key('billing')];
    await isRead(small);
    const { position } = (await small.post(mine, 'lock.watch', { names: ['a'], waitMs: 0 }))
      .data as unknown as Answer;
    const wait = () => small.post(mine, 'lock.watch', { names: ['a'], since: position });
    const open = [wait(), wait()];
    await expect.poll(() => small.runtime.projection.watches.count).toBe(2);
    const third = await wait();
    expect([third.status, third.reason]).toEqual([429, 'RATE_LIMITED']);
    expect(third.error?.message).toBe('Too many open watches for this API key; the limit is 2.');
    const theirs = await small.post(other, 'lock.watch', { names: ['a'], waitMs: 0 });
    expect(theirs.status).toBe(200);

    // A process that shuts down answers them; their callers continue at another one.
    const { server, handlers, runtime } = small;
    const startedAt = performance.now();
    await shutDown({ server, handlers, runtime, closePages: async () => undefined });
    for (const reply of await Promise.all(open)) expect(reply.data).toMatchObject({ locks: [] });
    expect(performance.now() - startedAt).toBeLessThan(12_000);
    await small.close();
  });
});

function stream(input: object | string, by = key, more: Record<string, string> = {}) {
  return fetch(`${api.url}/api/v1/lock.watch`, {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${by}`,
      'content-type': 'application/json',
      ...more,
    },
    body: typeof input === 'string' ? input : JSON.stringify(input),
  });
}

async function open(response: Response): Promise<EventStream> {
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  return EventStream.over(response);
}

const nextAnswer = async (events: EventStream) => (await events.nextValue()).data as Answer;

const refusalOf = async (response: Response): Promise<Reply> =>
  api.reply(response.status, response.headers, await response.text());
