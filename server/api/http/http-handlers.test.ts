import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser } from '@/server/operations/users/create-user';
import { ApiHarness } from '@/test/api-harness';
import { MINUTE_MS } from '../../core/time-units';

const PASSWORD = 'plough the seventh field';

let open: ApiHarness[] = [];
afterAll(async () => {
  for (const api of open) await api.close();
  open = [];
});

async function start(env: Record<string, string> = {}): Promise<ApiHarness> {
  const api = await ApiHarness.start(env);
  open.push(api);
  await createUser(api.cli, { name: 'ana', role: 'admin', password: PASSWORD });
  return api;
}

/** Signs in with these headers; returns the reply and the address recorded in the audit log. */
async function enter(api: ApiHarness, headers: Record<string, string>) {
  const input = { name: 'ana', password: PASSWORD };
  const reply = await api.console(null, 'session.signIn', input, 'mutation', headers);
  const { db, tables } = api.runtime.database;
  return { reply, address: (await db.select().from(tables.audit)).at(-1)?.address };
}

describe('forwarding headers', () => {
  let near: ApiHarness;
  let far: ApiHarness;
  beforeAll(async () => {
    near = await start({ LOCKYARD_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8,fd00::/8' });
    far = await start({ LOCKYARD_TRUSTED_PROXIES: '10.0.0.0/8' });
  });

  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['203.0.113.9,10.1.2.3', '203.0.113.9'],
    ['127.0.0.1, 203.0.113.9, fd00::7, 10.1.2.3', '203.0.113.9'],
    ['203.0.113.9:4711', '203.0.113.9'],
    ['[2001:db8::9]:4711', '2001:db8::9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['10.1.2.3', '10.1.2.3'],
    ['203.0.113.9, unknown', '127.0.0.1'],
    ['', '127.0.0.1'],
    ['203.0.113.9, <script>', '127.0.0.1'],
  ])('by a trusted proxy, "%s" is the address %s', async (header, address) => {
    expect((await enter(near, { 'x-forwarded-for': header })).address).toBe(address);
  });

  test('are read even if a proxy adds them after very many headers of the caller', async () => {
    const junk = Object.fromEntries(Array.from({ length: 1_500 }, (_, i) => [`x-${i}`, '1']));
    const added = { 'x-forwarded-for': '203.0.113.9' };
    expect((await enter(near, { ...junk, ...added })).address).toBe('203.0.113.9');
    const metrics = await near.send('/metrics', { headers: { ...junk, ...added } });
    expect(metrics.status).toBe(403);
  });

  test.each(['https', 'HTTPS', 'http, https'])(
    'by a trusted proxy, the protocol "%s" makes the session secure',
    async (proto) => {
      const { reply } = await enter(near, { 'x-forwarded-proto': proto });
      expect(reply.headers.getSetCookie()[0]).toMatch(/^__Host-lockyard_session=.*; Secure$/);
      expect(reply.headers.get('strict-transport-security')).not.toBeNull();
    },
  );

  test('are not trusted from any other peer', async () => {
    const forged = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };
    const { reply, address } = await enter(far, forged);
    expect(address).toBe('127.0.0.1');
    expect(reply.headers.getSetCookie()[0]).toMatch(/^lockyard_session=(?!.*Secure)/);
    expect(reply.headers.get('strict-transport-security')).toBeNull();
    const key = await far.key('orders');
    const plain = await far.post(key, 'lock.acquire', {}, { headers: forged });
    expect(plain.headers.get('strict-transport-security')).toBeNull();
  });

  test("encrypted and plain connections do not accept each other's sessions", async () => {
    const secure = { 'x-forwarded-proto': 'https' };
    const cookieOf = async (headers: Record<string, string>) =>
      (await enter(near, headers)).reply.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const [safe, plain] = [await cookieOf(secure), await cookieOf({})];
    const status = async (cookie: string, more: Record<string, string>) =>
      (await near.console(cookie, 'locks.list', {}, 'query', more)).status;
    expect(await status(safe, secure)).toBe(200);
    expect(await status(plain, {})).toBe(200);
    expect(await status(safe, {})).toBe(401);
    expect(await status(plain, secure)).toBe(401);
  });
});

describe('a request from a page', () => {
  let api: ApiHarness;
  let cookie: string;
  beforeAll(async () => {
    api = await start();
    cookie = await api.signIn('ana', PASSWORD);
  });

  /** Sends a POST as a proxy does that replaces the host. */
  function postAs(host: string, origin: string): Promise<{ status: number; text: string }> {
    const headers = { host, origin, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const req = request(`${api.url}/api/trpc/session.signOut`, { method: 'POST', headers });
      req.once('error', reject).once('response', (res) => {
        let text = '';
        res.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        res.once('end', () => resolve({ status: res.statusCode ?? 0, text }));
      });
      req.end();
    });
  }

  test('whose Host a proxy has changed is refused, with advice', async () => {
    const { status, text } = await postAs('127.0.0.1:3000', 'https://locks.example.com');
    expect(status).toBe(403);
    const { message } = (JSON.parse(text) as { error: { message: string } }).error;
    expect(message).toContain('Origin is "https://locks.example.com"');
    expect(message).toContain('Host is "127.0.0.1:3000"');
    expect(message).toContain('proxy_set_header Host $http_host');
  });

  test('is served under its own host, whether or not a default port is written out', async () => {
    for (const [host, origin] of [
      ['locks.example.com', 'https://locks.example.com'],
      ['locks.example.com:443', 'https://locks.example.com'],
      ['locks.example.com:80', 'http://locks.example.com'],
      ['LOCKS.example.com', 'http://locks.example.com'],
    ] as const) {
      expect((await postAs(host, origin)).status).toBe(200);
    }
    for (const [host, origin] of [
      ['locks.example.com:80', 'https://locks.example.com'],
      ['locks.example.com', 'file://locks.example.com'],
      ['', 'https://locks.example.com'],
    ] as const) {
      expect((await postAs(host, origin)).status).toBe(403);
    }
  });

  test('that carries a cookie and no Origin changes nothing', async () => {
    const init = (more: Record<string, string>) => ({
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie, ...more },
    });
    for (const procedure of ['session.signOut', 'session.signOut?batch=1']) {
      const reply = await api.send(`/api/trpc/${procedure}`, init({}));
      expect([reply.status, reply.reason]).toEqual([403, 'FORBIDDEN']);
      expect(reply.error?.message).toContain('Origin');
    }
    expect((await api.console(cookie, 'locks.list', {})).status).toBe(200);
    const whole = await api.send('/api/trpc/session.signOut', init({ origin: api.url }));
    expect(whole.data).toEqual({ signedOut: true });
  });
});

describe('bytes that are not a request', () => {
  let api: ApiHarness;
  beforeAll(async () => {
    api = await start();
  });

  const answerTo = (bytes: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let text = '';
      const line = connect(Number(new URL(api.url).port), '127.0.0.1', () => line.write(bytes));
      line.setEncoding('utf8').setTimeout(MINUTE_MS, () => line.destroy());
      line.on('data', (part) => {
        text += part;
      });
      line.once('error', reject).once('close', () => resolve(text));
    });

  test.each([
    ['garbage', 'garbage\r\n\r\n', 400],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    ['a header without an end', `GET / HTTP/1.1\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`, 413],
  ])('such as %s get the headers of every answer', async (_, bytes, status) => {
    const text = await answerTo(bytes);
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const [head = '', body = ''] = text.split('\r\n\r\n');
    for (const header of [
      /^X-Request-Id: [\w-]{16}$/m,
      /^X-Content-Type-Options: nosniff$/m,
      /^Referrer-Policy: no-referrer$/m,
      /^X-Frame-Options: DENY$/m,
      /^Content-Security-Policy: default-src 'none'.*sandbox$/m,
      /^Cross-Origin-Resource-Policy: same-origin$/m,
      /^Cache-Control: no-store$/m,
    ]) {
      expect(head.replaceAll('\r', '')).toMatch(header);
    }
    expect(JSON.parse(body)).toMatchObject({ error: { data: { httpStatus: status } } });
  });
});

describe('an admin whose connection crosses a network unencrypted', () => {
  const warningFor = async (api: ApiHarness, name: string, headers: Record<string, string>) => {
    const input = { name, password: PASSWORD };
    const reply = await api.console(null, 'session.signIn', input, 'mutation', headers);
    const cookie = reply.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    return (await api.console(cookie, 'session.current', undefined, 'query', headers)).data
      ?.unencrypted;
  };

  test('gets a warning, and no other user does', async () => {
    const near = await start();
    const far = await start({ HOST: '0.0.0.0' });
    await createUser(far.cli, { name: 'vera', role: 'viewer', password: PASSWORD });
    const remote = { 'x-forwarded-for': '203.0.113.9' };
    const secure = { 'x-forwarded-proto': 'https' };
    expect(await warningFor(near, 'ana', {})).toBeUndefined();
    expect(await warningFor(near, 'ana', remote)).toBe(true);
    expect(await warningFor(near, 'ana', { ...remote, ...secure })).toBeUndefined();
    expect(await warningFor(far, 'ana', {})).toBe(true);
    expect(await warningFor(far, 'ana', secure)).toBeUndefined();
    expect(await warningFor(far, 'vera', {})).toBeUndefined();
  });
});
