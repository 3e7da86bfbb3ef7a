import { request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ApiHarness, type Reply } from '@/test/api-harness';

const NAME = 'untouched';
const OWNER = 'worker-1';

let api: ApiHarness;
let key: string;
let token: number;
let before: unknown;

beforeAll(async () => {
  api = await ApiHarness.start();
  key = await api.key('orders');
  const ask = { name: NAME, owner: OWNER, leaseMs: 600_000 };
  token = (await api.post(key, 'lock.acquire', ask)).data?.token as number;
});
afterAll(() => api.close());

beforeEach(async () => {
  before = await stateNow();
});

/** The lock, without the parts that only time changes. */
async function stateNow(): Promise<unknown> {
  const { data } = await api.get(key, 'lock.inspect', { name: NAME });
  return JSON.parse(JSON.stringify(data, (field, value) => (/InMs$/.test(field) ? null : value)));
}

async function expectRefused(reply: Reply, status: number, reason: string): Promise<void> {
  expect([reply.status, reply.reason], reply.text).toEqual([status, reason]);
  expect(reply.error?.data).toMatchObject({ httpStatus: status });
  expect(reply.error?.message).toBeTruthy();
  expect(reply.headers.get('x-request-id')).toMatch(/^[\w-]{16}$/);
  expect(reply.error?.data.requestId).toBe(reply.headers.get('x-request-id'));
  expect(reply.text).not.toMatch(/\bat .*\.(ts|js|mjs):\d|node_modules|stack/);
  expect(await stateNow()).toEqual(before);
}

const whole = { name: NAME, owner: OWNER, leaseMs: 1_000 };

const badAcquires: [string, unknown][] = [
  ['no object', 7],
  ['null', null],
  ['a list', [whole]],
  ['nothing', {}],
  ['name of a wrong type', { ...whole, name: 7 }],
  ['name missing', { owner: OWNER, leaseMs: 1_000 }],
  ['name empty', { ...whole, name: '' }],
  ['name of 201 bytes', { ...whole, name: 'x'.repeat(201) }],
  ['name of 101 two-byte characters', { ...whole, name: 'é'.repeat(101) }],
  ['name with NUL', { ...whole, name: 'a\0b' }],
  ['name with a lone surrogate', `{"name":"\\ud800","owner":"o","leaseMs":1000}`],
  ['permits without a capacity', { ...whole, mode: 'permit', permits: 1 }],
  ['a capacity of 0', { ...whole, mode: 'permit', capacity: 0 }],
  ['a negative capacity', { ...whole, mode: 'permit', capacity: -3 }],
  ['a capacity above 10,000', { ...whole, mode: 'permit', capacity: 10_001 }],
  ['a capacity that is no integer', { ...whole, mode: 'permit', capacity: 2.5 }],
  ['more permits than the capacity', { ...whole, mode: 'permit', permits: 4, capacity: 3 }],
  ['permits of an exclusive hold', { ...whole, permits: 1, capacity: 3 }],
  ['owner of a wrong type', { ...whole, owner: {} }],
  ['owner empty', { ...whole, owner: '' }],
  ['owner of 101 bytes', { ...whole, owner: 'x'.repeat(101) }],
  ['owner with a lone surrogate', `{"name":"n","owner":"\\udc00","leaseMs":1000}`],
  ['namespace with capitals', { ...whole, namespace: 'Default' }],
  ['namespace with a path', { ...whole, namespace: '../etc' }],
  ['leaseMs 0', { ...whole, leaseMs: 0 }],
  ['leaseMs negative', { ...whole, leaseMs: -1_000 }],
  ['leaseMs fractional', { ...whole, leaseMs: 1_000.5 }],
  ['leaseMs 1e308', { ...whole, leaseMs: 1e308 }],
  ['leaseMs beyond any number', `{"name":"n","owner":"o","leaseMs":1e999}`],
  ['leaseMs a text', { ...whole, leaseMs: '1000' }],
  ['leaseMs under 100 ms', { ...whole, leaseMs: 99 }],
  ['leaseMs over 24 h', { ...whole, leaseMs: 24 * 3_600_000 + 1 }],
  ['holdAtLeastMs negative', { ...whole, holdAtLeastMs: -1 }],
  ['holdAtLeastMs not an integer', { ...whole, holdAtLeastMs: 0.5 }],
  ['holdAtLeastMs of a wrong type', { ...whole, holdAtLeastMs: '500' }],
  ['holdAtLeastMs over leaseMs', { ...whole, holdAtLeastMs: 1_001 }],
  ['waitMs negative', { ...whole, waitMs: -1 }],
  ['waitMs over 10 min', { ...whole, waitMs: 600_001, requestId: 'r' }],
  ['waitMs over 25 s without a request id', { ...whole, waitMs: 25_001 }],
  ['mode unknown', { ...whole, mode: 'update' }],
  ['reentrant of a wrong type', { ...whole, reentrant: 'yes' }],
  ['requestId empty', { ...whole, requestId: '' }],
  ['requestId too long', { ...whole, requestId: 'x'.repeat(101) }],
  ['meta of a wrong type', { ...whole, meta: { host: 1 } }],
  ['meta over 1 KB', { ...whole, meta: { host: 'x'.repeat(1_024) } }],
  ['meta with a lone surrogate', `{"name":"n","owner":"o","leaseMs":1000,"meta":{"a":"\\ud800"}}`],
  ['meta with a prototype', `{"name":"n","owner":"o","leaseMs":1000,"meta":{"__proto__":"x"}}`],
  ['a prototype', `{"name":"n","owner":"o","leaseMs":1000,"__proto__":{"waitMs":5}}`],
  ['a prototype, escaped', `{"name":"n","owner":"o","leaseMs":1000,"\\u005f_proto__":{}}`],
  ['an unknown field', { ...whole, namespaceId: 1 }],
  ['a field twice', `{"name":"n","owner":"o","leaseMs":1000,"n\\u0061me":"m"}`],
  ['a key of meta twice', `{"name":"n","owner":"o","leaseMs":1000,"meta":{"a":"","a":""}}`],
  ['broken JSON', '{"name":'],
  ['JSON with a trailing comma', '{"name":"n",}'],
  ['an empty body', ''],
];

const lock = (n: number) => ({ name: `never taken ${n}` });
const set = { locks: [{ name: NAME }, lock(1)], owner: OWNER, leaseMs: 1_000 };

const badSets: [string, unknown][] = [
  ['no locks', { owner: OWNER, leaseMs: 1_000 }],
  ['locks of a wrong type', { ...set, locks: 'a,b' }],
  ['an empty list', { ...set, locks: [] }],
  ['one lock', { ...set, locks: [lock(1)] }],
  ['21 locks', { ...set, locks: Array.from({ length: 21 }, (_, i) => lock(i)) }],
  ['permits in a set', { ...set, locks: [lock(1), { ...lock(2), mode: 'permit' }] }],
  ['one lock twice', { ...set, locks: [lock(1), lock(2), { ...lock(1), mode: 'shared' }] }],
  ['names alone', { ...set, locks: ['a', 'b'] }],
  ['a name of 201 bytes', { ...set, locks: [lock(1), { name: 'x'.repeat(201) }] }],
  ['a name with NUL', { ...set, locks: [lock(1), { name: 'a\0b' }] }],
  ['a mode that is none', { ...set, locks: [lock(1), { ...lock(2), mode: 'both' }] }],
  ['two namespaces', { ...set, locks: [lock(1), { ...lock(2), namespace: 'other' }] }],
  ['a wish to re-enter', { ...set, reentrant: true }],
  ['a long wait without a request id', { ...set, waitMs: 25_001 }],
  ['holdAtLeastMs over leaseMs', { ...set, holdAtLeastMs: set.leaseMs + 1 }],
  ['a lease that is too short', { ...set, leaseMs: 99 }],
];

describe('lock.acquireMany refuses', () => {
  test.each(badSets)('%s', async (_, input) => {
    await expectRefused(await api.post(key, 'lock.acquireMany', input), 400, 'INVALID');
    const { data } = await api.get(key, 'lock.inspect', lock(1));
    expect(data).toMatchObject({ state: 'free', rev: 0 });
  });

  test('an id that was already used with another input', async () => {
    const locks = [lock(10), lock(11)];
    const asked = { ...set, locks, leaseMs: 60_000, requestId: 'used' };
    expect((await api.post(key, 'lock.acquireMany', asked)).data?.outcome).toBe('granted');
    const reversed = { ...asked, locks: [...locks].reverse() };
    expect((await api.post(key, 'lock.acquireMany', reversed)).data?.outcome).toBe('granted');
    const longer = { ...asked, leaseMs: 61_000 };
    await expectRefused(await api.post(key, 'lock.acquireMany', longer), 400, 'INVALID');
  });

  test.each([
    ['without a request id', { names: ['a', 'b'], owner: OWNER }],
    ['with one name', { names: ['a'], owner: OWNER, requestId: 'r' }],
    ['with a name twice', { names: ['a', 'a'], owner: OWNER, requestId: 'r' }],
  ])('to be undone %s', async (_, input) => {
    await expectRefused(await api.post(key, 'lock.cancelMany', input), 400, 'INVALID');
  });
});

describe('lock.acquire refuses', () => {
  test.each(badAcquires)('%s', async (_, input) => {
    await expectRefused(await api.post(key, 'lock.acquire', input), 400, 'INVALID');
  });
});

const badTokens: [string, unknown][] = [
  ['no safe integer', 2 ** 53],
  ['zero', 0],
  ['negative', -1],
  ['fractional', 1.5],
  ['1e308', 1e308],
  ['a text', '41'],
  ['null', null],
];

describe('a token cannot be', () => {
  test.each(badTokens)('%s', async (_, bad) => {
    const mine = { name: NAME, owner: OWNER, token: bad };
    await expectRefused(await api.post(key, 'lock.release', mine), 400, 'INVALID');
    const renewal = { ...mine, leaseMs: 1_000 };
    await expectRefused(await api.post(key, 'lock.renew', renewal), 400, 'INVALID');
    const check = { name: NAME, token: bad };
    await expectRefused(await api.get(key, 'lock.check', check), 400, 'INVALID');
  });
});

test('an unknown field is refused by every procedure', async () => {
  const mine = { name: NAME, owner: OWNER, token, more: 1 };
  const renewal = { ...mine, leaseMs: 1_000 };
  const cancel = { name: NAME, owner: OWNER, requestId: 'r', more: 1 };
  await expectRefused(await api.post(key, 'lock.release', mine), 400, 'INVALID');
  await expectRefused(await api.post(key, 'lock.renew', renewal), 400, 'INVALID');
  await expectRefused(await api.post(key, 'lock.cancel', cancel), 400, 'INVALID');
  const look = { name: NAME, more: 1 };
  await expectRefused(await api.get(key, 'lock.inspect', look), 400, 'INVALID');
  await expectRefused(await api.get(key, 'lock.check', { ...look, token }), 400, 'INVALID');
});

test('the message names the field and what is wrong with it', async () => {
  const reply = await api.post(key, 'lock.acquire', { ...whole, leaseMs: 5, waitMs: 'x' });
  expect(reply.error?.message).toMatch(/leaseMs: .*100.*waitMs: .*number/);
});

test('meta with a text that is too long is refused before it is checked as a whole', async () => {
  const reply = await api.post(key, 'lock.acquire', { ...whole, meta: { a: 'x'.repeat(225_000) } });
  await expectRefused(reply, 400, 'INVALID');
  expect(reply.error?.message).toBe('meta.a: must be a text of at most 1024 characters');
});

test('a body over 256 KB is TOO_LARGE, with or without a declared length', async () => {
  const long = JSON.stringify({ ...whole, meta: { a: 'x'.repeat(300_000) } });
  await expectRefused(await api.post(key, 'lock.release', long), 413, 'TOO_LARGE');
  const chunks = new Blob([long]).stream();
  const streamed = { body: chunks, duplex: 'half' } as RequestInit;
  await expectRefused(await api.post(key, 'lock.release', '', streamed), 413, 'TOO_LARGE');
});

test('a body of exactly 256 KB is read', async () => {
  const empty = JSON.stringify({ ...whole, pad: '' });
  const pad = 'x'.repeat(256 * 1024 - empty.length);
  const reply = await api.post(key, 'lock.acquire', { ...whole, pad });
  await expectRefused(reply, 400, 'INVALID');
});

const MANY = Object.fromEntries(Array.from({ length: 25_000 }, (_, i) => [i.toString(36), '']));

test.each([
  ['of meta', 'lock.acquire', { ...whole, meta: MANY }],
  ['of the input itself', 'lock.acquire', MANY],
  ['of one lock', 'lock.acquireMany', { ...set, locks: [{ name: NAME }, MANY] }],
])('very many fields %s are refused before any is looked at', async (_, procedure, input) => {
  const reply = await api.post(key, procedure, input);
  await expectRefused(reply, 400, 'INVALID');
  expect(reply.error?.message).toBe('An object may have at most 200 fields.');
});

test('no body over 16 KB is read for a sign-in, with or without a declared length', async () => {
  const long = JSON.stringify({ name: 'a', password: 'b'.repeat(16_384) });
  const headers = { 'content-type': 'application/json', origin: api.url };
  for (const body of [long, new Blob([long]).stream()]) {
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    await expectRefused(await api.send('/api/trpc/session.signIn', init), 413, 'TOO_LARGE');
  }
});

test('a body that is not UTF-8 is refused, not repaired', async () => {
  const body = Buffer.concat([
    Buffer.from('{"name":"'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('","owner":"o","leaseMs":1000}'),
  ]);
  await expectRefused(await api.post(key, 'lock.acquire', '', { body }), 400, 'INVALID');
});

test('a compressed body is refused by a message that says so', async () => {
  const body = gzipSync(JSON.stringify(whole));
  const headers = {
    'content-type': 'application/json',
    'content-encoding': 'gzip',
    origin: api.url,
  };
  for (const path of ['/api/v1/lock.acquire', '/api/trpc/session.signIn']) {
    const reply = await fetch(api.url + path, { method: 'POST', body, headers });
    const { error } = (await reply.json()) as { error: { message: string } };
    expect([reply.status, error.message]).toEqual([400, expect.stringContaining('"gzip"')]);
  }
});

test('a body with a compressed transfer encoding is refused in the same way', async () => {
  const body = JSON.stringify(whole);
  const head = `POST /api/v1/lock.acquire HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`;
  const coded = 'Content-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n';
  const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const text = await answersTo(`${head}${coded}Connection: close\r\n\r\n${chunks}`);
  expect(text).toMatch(/^HTTP\/1\.1 400 .*Transfer-Encoding \\"gzip, chunked\\".*"INVALID"/s);
  expect(await stateNow()).toEqual(before);
});

test.each(['%', '%zz', 'lock.acquire%', '%ff', '%C3%28', 'a%2'])(
  'broken percent-encoding in a path is INVALID: %s',
  async (path) => {
    for (const prefix of ['/api/v1/', '/api/trpc/']) {
      await expectRefused(await rawRequest('GET', prefix + path), 400, 'INVALID');
    }
  },
);

test('malformed percent-encoding in a query is INVALID', async () => {
  const path = `/api/v1/lock.inspect?input=%7B%22name%22%3A%22%ff%22%7D`;
  const headers = { authorization: `Bearer ${key}` };
  await expectRefused(await api.send(path, { headers }), 400, 'INVALID');
});

test.each(['lock.nothing', 'lock', 'toString', '__proto__', 'constructor', ''])(
  'an unknown procedure is NOT_FOUND: "%s"',
  async (procedure) => {
    await expectRefused(await api.post(key, procedure, {}), 404, 'NOT_FOUND');
  },
);

test('a client whose URL ends in /api/v1 learns what to do', async () => {
  expect((await api.post(key, 'api/v1/lock.acquire', whole)).text).toContain('Leave /api/v1 out');
});

test('an unknown address under /api is NOT_FOUND', async () => {
  for (const path of ['/api', '/api/', '/api/v2/lock.acquire', '/api/v1', '/api/health']) {
    await expectRefused(await api.send(path), 404, 'NOT_FOUND');
  }
});

async function expectWrongMethod(method: string, path: string, allow: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const reply = await rawRequest(method, path, headers);
  if (method !== 'HEAD') await expectRefused(reply, 405, 'INVALID');
  expect([reply.status, reply.headers.get('allow')], `${method} ${path}`).toEqual([405, allow]);
}

test.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
  'a mutation asked for with %s is refused, with the method that it has',
  async (method) => {
    await expectWrongMethod(method, '/api/v1/lock.release', 'POST');
    await expectWrongMethod(method, '/api/v1/lock.release,lock.renew?batch=1', 'POST');
    await expectWrongMethod(method, '/api/trpc/session.signOut', 'POST');
  },
);

test.each(['POST', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
  'a query or a live stream asked for with %s is refused, with the method that it has',
  async (method) => {
    await expectWrongMethod(method, '/api/v1/lock.inspect', 'GET');
    for (const procedure of ['session.current', 'locks.list', 'locks.watch']) {
      await expectWrongMethod(method, `/api/trpc/${procedure}`, 'GET');
    }
  },
);

test('CONNECT is refused after earlier answers, and the connection is closed', async () => {
  const ask = `GET /api/health/live HTTP/1.1\r\nHost: a\r\n\r\n`;
  const text = await answersTo(`${ask}CONNECT evil.example:443 HTTP/1.1\r\nHost: a\r\n\r\nmore`);
  const [health = '', refusal = '', ...others] = text.split(/(?=HTTP\/1\.1 )/);
  expect(health).toMatch(/^HTTP\/1\.1 200 /);
  expect(refusal).toMatch(/^HTTP\/1\.1 405 .*Allow: GET, HEAD, POST\r\n.*"reason":"INVALID"/s);
  expect(others).toEqual([]);
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''])(
  'a body of type "%s" is refused',
  async (type) => {
    const input = { name: NAME, owner: OWNER, token };
    const headers = { 'content-type': type };
    await expectRefused(await api.post(key, 'lock.release', input, { headers }), 400, 'INVALID');
  },
);

const formTypes = [
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  '',
];
const elsewhere = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
];

describe.each(elsewhere)('from another site (%o)', (from) => {
  test.each(formTypes)('a post of "%s" is FORBIDDEN by either API', async (type) => {
    const input = { name: NAME, owner: OWNER, token };
    const headers = { 'content-type': type, ...from } as Record<string, string>;
    await expectRefused(await api.post(key, 'lock.release', input, { headers }), 403, 'FORBIDDEN');
    const body = JSON.stringify({ name: 'a', password: 'b' });
    const init = { method: 'POST', headers, body };
    await expectRefused(await api.send('/api/trpc/session.signIn', init), 403, 'FORBIDDEN');
  });
});

test('a page of this server itself is allowed to call', async () => {
  const headers = { origin: api.url, 'sec-fetch-site': 'same-origin' };
  const reply = await api.post(key, 'lock.acquire', { ...whole, name: 'own page' }, { headers });
  expect(reply.data).toMatchObject({ outcome: 'granted' });
});

test('a batch of 1,000 is refused as a whole', async () => {
  const input = { name: NAME, owner: OWNER, token };
  const calls = Array.from({ length: 1_000 }, (_, i) => [i, input]);
  const paths = Array.from({ length: 1_000 }, () => 'lock.release').join(',');
  const reply = await api.post(key, `${paths}?batch=1`, Object.fromEntries(calls));
  await expectRefused(reply, 400, 'INVALID');
});

test('a batch of 21 is refused, one of 20 is served', async () => {
  const batch = (size: number) => {
    const inputs = Object.fromEntries(Array.from({ length: size }, (_, i) => [i, { name: NAME }]));
    const paths = Array.from({ length: size }, () => 'lock.inspect').join(',');
    const query = `batch=1&input=${encodeURIComponent(JSON.stringify(inputs))}`;
    return api.send(`/api/v1/${paths}?${query}`, { headers: { authorization: `Bearer ${key}` } });
  };
  await expectRefused(await batch(21), 400, 'INVALID');
  expect((await batch(20)).status).toBe(200);
});

test.each(['[{}]', '7', 'null', '"x"'])('the input of a batch must not be %s', async (input) => {
  const { status, text } = await api.post(key, 'lock.release,lock.release?batch=1', input);
  expect(status).toBe(400);
  const message = expect.stringMatching(/^The input of a batch must be an object, with the input/);
  const refused = { error: { message, data: { reason: 'INVALID' } } };
  expect(JSON.parse(text)).toMatchObject([refused, refused]);
});

test('a batch of several calls cannot wait', async () => {
  const call = { ...whole, owner: 'other', waitMs: 1_000 };
  const path = 'lock.acquire,lock.acquire?batch=1';
  const { status, text } = await api.post(key, path, { 0: call, 1: call });
  expect(status).toBe(400);
  const refused = { error: { data: { reason: 'INVALID' } } };
  expect(JSON.parse(text)).toMatchObject([refused, refused]);
  expect(await stateNow()).toEqual(before);
});

test('an address that is too long is refused by name', async () => {
  const reply = await rawRequest('GET', `/api/v1/lock.inspect?input=${'x'.repeat(70_000)}`);
  await expectRefused(reply, 413, 'TOO_LARGE');
});

test('a name without percent-encoding, as from curl, is refused with an explanation', async () => {
  const text = await answersTo('GET /api/v1/lock.inspect?name=jób HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(text).toMatch(/^HTTP\/1\.1 400 .*characters that must be percent-encoded.*"INVALID"/s);
});

const INSPECT = 'GET /api/v1/lock.inspect HTTP/1.1\r\nConnection: close\r\n';
const SESSION = 'GET /api/trpc/session.current HTTP/1.1\r\nConnection: close\r\n';
const KEYS = ['Authorization: Bearer a', 'authorization: Bearer b'];

test.each([
  ['bytes that are no request', 'what is this\r\n\r\n'],
  ['a request without a Host', `${INSPECT}\r\n`],
  ['a request with two of them', `${INSPECT}Host: a\r\nhost: b\r\n\r\n`],
  ['a request with one twice', `${INSPECT}Host: a\r\nHost: a\r\n\r\n`],
  ['a request with an empty Host', `${INSPECT}Host: \r\n\r\n`],
  ['a Host with a space', `${INSPECT}Host: a b\r\n\r\n`],
  ['a Host with a path', `${INSPECT}Host: a/b\r\n\r\n`],
  ['a Host with a port that is none', `${INSPECT}Host: a:99999\r\n\r\n`],
  ['a Host with a user', `${INSPECT}Host: user@a\r\n\r\n`],
  ['a Host with a user, for the console', `${SESSION}Host: user@a\r\n\r\n`],
  ['a request with two keys', `${INSPECT}Host: a\r\n${KEYS.join('\r\n')}\r\n\r\n`],
  ['a request with one key twice', `${INSPECT}Host: a\r\n${KEYS[0]}\r\n${KEYS[0]}\r\n\r\n`],
  ['an unknown expectation', `${INSPECT}Host: a\r\nExpect: the best\r\n\r\n`],
])('%s is refused by name', async (_, bytes) => {
  const text = await answersTo(bytes);
  expect(text).toMatch(/^HTTP\/1\.1 400 .*X-Request-Id: .*"reason":"INVALID"/s);
});

test('an upgrade to WebSocket is refused, one to HTTP/2 is ignored', async () => {
  const offer = (protocol: string) => ({
    connection: 'Upgrade',
    upgrade: protocol,
    authorization: `Bearer ${key}`,
  });
  const path = `/api/v1/lock.inspect?input=${encodeURIComponent(JSON.stringify({ name: NAME }))}`;
  await expectRefused(await rawRequest('GET', path, offer('websocket')), 400, 'INVALID');
  expect((await rawRequest('GET', path, offer('h2c'))).status).toBe(200);
  expect((await rawRequest('GET', '/', offer('websocket'))).status).not.toBe(101);
});

test('no input has changed a prototype of the server', () => {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as Record<string, unknown>).waitMs).toBeUndefined();
});

/** The server's whole answer to these bytes, until it closes the connection. */
function answersTo(bytes: string): Promise<string> {
  const { port } = new URL(api.url);
  return new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes));
    let heard = '';
    socket.on('data', (part) => {
      heard += part;
    });
    socket.on('end', () => resolve(heard));
    socket.on('error', reject);
  });
}

/** Sends a request exactly as written: `fetch` would repair the path. */
function rawRequest(
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const { hostname, port } = new URL(api.url);
  return new Promise((resolve, reject) => {
    const call = request({ hostname, port, method, path, headers }, (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('data', (part) => {
        text += part;
      });
      res.on('end', () => {
        const entries = Object.entries(res.headers).map(([k, v]) => [k, String(v)] as const);
        resolve(api.reply(res.statusCode ?? 0, new Headers(entries.map(([k, v]) => [k, v])), text));
      });
    });
    call.on('error', reject);
    call.end();
  });
}
