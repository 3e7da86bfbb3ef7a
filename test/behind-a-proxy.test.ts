import { constants } from 'node:http2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser } from '@/server/operations/users/create-user';
import { ApiHarness } from './api-harness';
import { type ProxyKind, RealProxy } from './real-proxy';

const PASSWORD = 'plough the seventh field';
const SOON = { timeout: 5_000 };
/** All proxies for which the docs have a configuration. */
const KINDS: ProxyKind[] = ['nginx', 'haproxy', 'caddy'];

let api: ApiHarness;
let key: string;

beforeAll(async () => {
  api = await ApiHarness.start({ LOCKYARD_TRUSTED_PROXIES: '127.0.0.1' });
  key = await api.key('orders');
  await createUser(api.cli, { name: 'ana', role: 'admin', password: PASSWORD });
});
afterAll(() => api.close());

const signIn = { name: 'ana', password: PASSWORD };

describe.each(KINDS)('behind %s, set up as the docs say', (kind) => {
  let proxy: RealProxy;
  beforeAll(async () => {
    proxy = await RealProxy.start(kind, api.url);
  });
  afterAll(() => proxy?.stop());

  const authorization = () => ({ authorization: `Bearer ${key}` });
  const acquire = (name: string, owner: string, waitMs: number, signal?: AbortSignal) =>
    proxy.send('/api/v1/lock.acquire', {
      headers: authorization(),
      body: { name, owner, leaseMs: 60_000, waitMs },
      ...(signal && { signal }),
    });
  const look = async (name: string) => (await api.get(key, 'lock.inspect', { name })).data;

  test('a user signs in from their own address, with Secure cookies', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.66', 'x-forwarded-proto': 'http' };
    const { status, cookies } = await proxy.send('/api/trpc/session.signIn', {
      headers,
      body: signIn,
    });
    expect(status).toBe(200);
    expect(cookies).toHaveLength(2);
    for (const cookie of cookies) expect(cookie).toMatch(/^__Host-.*; Secure$/);
    const { db, tables } = api.runtime.database;
    expect((await db.select().from(tables.audit)).at(-1)).toMatchObject({
      act: 'session.signIn',
      address: proxy.callerAddress,
    });
  });

  test('a live page gets each event at once, and the stream ends when it is closed', async () => {
    const { cookies } = await proxy.send('/api/trpc/session.signIn', { body: signIn });
    const cookie = cookies.map((each) => each.split(';')[0]).join('; ');
    const page = new AbortController();
    let text = '';
    const input = encodeURIComponent(JSON.stringify({ search: `live ${kind}` }));
    const stream = proxy.send(`/api/trpc/locks.watch?input=${input}`, {
      headers: { cookie },
      signal: page.signal,
      onText: (part) => {
        text += part;
      },
    });
    stream.catch(() => undefined);
    await expect.poll(() => text, SOON).toContain('"matching":0');
    await acquire(`live ${kind}`, 'a', 0);
    await expect.poll(() => text, SOON).toContain('"matching":1');
    page.abort();
    await expect(stream).rejects.toThrow();
  });

  test('a caller waits until a lock is granted, or hangs up and leaves the queue', async () => {
    const name = `waited for ${kind}`;
    const first = await acquire(name, 'first', 0);
    const { token } = (JSON.parse(first.text) as { result: { data: { token: number } } }).result
      .data;
    const gone = new AbortController();
    const second = acquire(name, 'second', 20_000, gone.signal);
    second.catch(() => undefined);
    await expect.poll(() => look(name), SOON).toMatchObject({ waiters: [{ owner: 'second' }] });
    const third = acquire(name, 'third', 20_000);
    await expect.poll(() => look(name), SOON).toMatchObject({ waiters: [{}, { owner: 'third' }] });
    gone.abort();
    await expect.poll(() => look(name), SOON).toMatchObject({ waiters: [{ owner: 'third' }] });
    await proxy.send('/api/v1/lock.release', {
      headers: authorization(),
      body: { name, owner: 'first', token },
    });
    expect((await third).text).toContain('"outcome":"granted"');
  });

  test('one HTTP/2 connection carries a hang-up and more live pages than HTTP/1.1', async () => {
    const { cookies } = await proxy.send('/api/trpc/session.signIn', { body: signIn });
    const cookie = cookies.map((each) => each.split(';')[0]).join('; ');
    const browser = await proxy.connectHttp2();
    const open = (headers: Record<string, string>, body?: object) => {
      const stream = browser.request({ ...headers, origin: proxy.url });
      let text = '';
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      stream.end(body && JSON.stringify(body));
      return { stream, text: () => text };
    };
    const input = encodeURIComponent(JSON.stringify({ search: `many ${kind}` }));
    const path = `/api/trpc/locks.watch?input=${input}`;
    const pages = Array.from({ length: 8 }, () => open({ ':path': path, cookie }));
    const name = `waited for over HTTP/2 ${kind}`;
    await acquire(name, 'first', 0);
    const waiter = open(
      {
        ':method': 'POST',
        ':path': '/api/v1/lock.acquire',
        'content-type': 'application/json',
        ...authorization(),
      },
      { name, owner: 'second', leaseMs: 60_000, waitMs: 20_000 },
    );
    await expect.poll(() => look(name), SOON).toMatchObject({ waiters: [{ owner: 'second' }] });
    for (const page of pages) await expect.poll(page.text, SOON).toContain('"matching":0');
    waiter.stream.close(constants.NGHTTP2_CANCEL);
    await expect.poll(() => look(name), SOON).toMatchObject({ waiters: [] });
    browser.destroy();
  });

  test('a batch with more than 50 KB of address and headers is served', async () => {
    const odd = '"'.repeat(185);
    const inputs = Array.from({ length: 20 }, (_, i) => ({ name: `${i} ${odd}` }));
    const query = encodeURIComponent(JSON.stringify(Object.assign({}, inputs)));
    expect(query.length).toBeGreaterThan(20_000);
    const paths = inputs.map(() => 'lock.inspect').join(',');
    const reply = await proxy.send(`/api/v1/${paths}?batch=1&input=${query}`, {
      headers: { ...authorization(), 'x-filler': 'x'.repeat(30_000) },
    });
    expect(reply.status).toBe(200);
  });
});

test("with nginx's own Host header sign-in is refused with a note on what to set", async () => {
  const proxy = await RealProxy.start('nginx', api.url, (config) =>
    config.replace('proxy_set_header Host $http_host;', ''),
  );
  const { status, text } = await proxy.send('/api/trpc/session.signIn', { body: signIn });
  await proxy.stop();
  expect(status).toBe(403);
  const { message } = (JSON.parse(text) as { error: { message: string } }).error;
  expect(message).toContain(`Origin is "${proxy.url}" but Host is "lockyard"`);
  expect(message).toContain('proxy_set_header Host $http_host');
});
