import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newSeed, seeded } from '@/server/engine/testing/seeded';
import { BothPaths, type WireRequest } from '@/test/both-paths';
import { randomRequests } from '@/test/random-requests';
import { LockyardError } from '../../../contract/errors';
import { SERVICE_API } from '../../../contract/service-api';
import { serviceProcedures } from '../../rpc/service/service-procedures';

const IS_LONG = process.env.TEST_LONG === '1';
const FUZZED_REQUESTS = IS_LONG ? 10_000 : 300;

/** What random requests are answered with. */
const STATUSES = [200, 400, 401, 403, 404, 413];

/** About one request in 160 is answered 413: the chance that 3,500 have none is e⁻²¹. */
const REQUESTS_MAX = FUZZED_REQUESTS + 3_000;

let paths: BothPaths;

beforeAll(async () => {
  paths = await BothPaths.start('orders');
});
afterAll(() => paths.close());

const authorization = 'Bearer KEY';
const json = { authorization, 'content-type': 'application/json' };

const post = (procedure: string, input: unknown, headers: WireRequest['headers'] = json) => ({
  method: 'POST',
  path: `/api/v1/${procedure}`,
  headers,
  body: typeof input === 'string' || Buffer.isBuffer(input) ? input : JSON.stringify(input),
});
const get = (procedure: string, query: string): WireRequest => ({
  method: 'GET',
  path: `/api/v1/${procedure}${query}`,
  headers: { authorization },
});
const inputOf = (input: unknown) => `?input=${encodeURIComponent(JSON.stringify(input))}`;

const mine = { name: 'mine', owner: 'worker-1' };
const acquire = { ...mine, leaseMs: 60_000 };
const both = {
  locks: [{ name: 'both a' }, { name: 'both b' }],
  owner: 'worker-1',
  leaseMs: 60_000,
};

/**
 * The answers of both paths, which must be one and the same; `isTaken` says whether the fast one
 * made it.
 */
async function expectSame(wire: WireRequest) {
  const before = paths.taken;
  const { fast, stock } = await paths.ask(wire);
  expect(fast).toEqual(stock);
  return { ...fast, isTaken: paths.taken > before };
}

const tokenOf = (body: string) =>
  (JSON.parse(body) as { result: { data: { token: number } } }).result.data.token;

describe('plain calls get the same answer from the fast path as from the tRPC handler', () => {
  test('the calls of a hold from its grant to its release', async () => {
    const granted = await expectSame(post('lock.acquire', acquire));
    expect(granted).toMatchObject({ status: 200, isTaken: true });
    const token = tokenOf(granted.body);
    const calls = [
      post('lock.acquire', { ...acquire, owner: 'worker-2' }),
      post('lock.acquire', { ...acquire, owner: 'worker-2', waitMs: 20 }),
      post('lock.acquire', { ...acquire, reentrant: true, meta: { host: 'a' } }),
      post('lock.renew', { ...mine, token, leaseMs: 90_000 }),
      get('lock.inspect', inputOf({ name: 'mine' })),
      get('lock.check', inputOf({ name: 'mine', token })),
      post('lock.release', { ...mine, token }),
      post('lock.release', { ...mine, token, requestId: 'twice' }),
      post('lock.release', { ...mine, token, requestId: 'twice' }),
      post('lock.release', { ...mine, token }),
      post('lock.cancel', { ...mine, requestId: 'never sent' }),
      post('lock.acquireMany', { ...both, requestId: 'both' }),
      post('lock.acquireMany', { ...both, requestId: 'both' }),
      post('lock.acquireMany', { ...both, owner: 'worker-2', waitMs: 20 }),
      post('lock.cancelMany', {
        names: ['both a', 'both b'],
        owner: 'worker-1',
        requestId: 'both',
      }),
      get('lock.inspect', inputOf({ name: 'never used: é 😀 "' })),
    ];
    for (const call of calls)
      expect(await expectSame(call)).toMatchObject({ status: 200, isTaken: true });
  });

  test.each([
    ['an input that is wrong', 400, post('lock.acquire', { ...acquire, leaseMs: 1 })],
    ['an input that is no object', 400, post('lock.acquire', 'null')],
    [
      'a request id used before',
      400,
      post('lock.release', { ...mine, token: 1, requestId: 'twice' }),
    ],
    ['no key', 401, post('lock.acquire', acquire, { 'content-type': 'application/json' })],
    ['an unknown key', 401, post('lock.acquire', 7, { ...json, authorization: 'Bearer x' })],
    ['another namespace', 403, post('lock.acquire', { ...acquire, namespace: 'other' })],
    [
      'a charset',
      200,
      post(
        'lock.acquire',
        { ...acquire, name: 'c' },
        { ...json, 'content-type': 'application/json; charset=utf-8' },
      ),
    ],
    [
      'https in front',
      200,
      post('lock.acquire', { ...acquire, name: 's' }, { ...json, 'x-forwarded-proto': 'https' }),
    ],
  ])('%s is answered %i', async (_, status, wire) => {
    expect(await expectSame(wire)).toMatchObject({ status, isTaken: true });
  });
});

describe('everything unusual is left to the tRPC handler', () => {
  const name = { name: 'odd' };
  const odd: [string, WireRequest][] = [
    [
      'a batch',
      post('lock.renew,lock.renew?batch=1', { 0: {}, 1: { ...mine, token: 1, leaseMs: 1_000 } }),
    ],
    ['a batch of one', post('lock.acquire?batch=1', { 0: { ...acquire, waitMs: 10 } })],
    ['an unknown procedure', post('lock.steal', acquire)],
    ['a property of objects', post('constructor', {})],
    ['a path with an escape', post('lock%2Eacquire', { ...acquire, name: 'escaped' })],
    ['a query by POST', post('lock.inspect', name)],
    ['a command by GET', get('lock.acquire', inputOf(acquire))],
    ['another method', { ...post('lock.acquire', acquire), method: 'PUT' }],
    ['a query with an unknown parameter', post('lock.acquire?x=1', { ...acquire, name: 'q' })],
    ['an empty input', get('lock.inspect', '?input=')],
    ['two inputs', get('lock.inspect', `${inputOf(name)}&input=7`)],
    ['plus signs', get('lock.inspect', '?input={"name":"a+b"}')],
    ['broken percent-encoding', get('lock.inspect', '?input=%E0%A4%A')],
    ['a fragment', get('lock.inspect', `${inputOf(name)}#x`)],
    ['a prototype in a query', get('lock.inspect', inputOf(JSON.parse('{"__proto__":1}')))],
    ['no body', post('lock.acquire', '')],
    ['broken JSON', post('lock.acquire', '{"name":')],
    ['a prototype', post('lock.acquire', '{"__proto__":{"name":"x"},"owner":"o"}')],
    ['bytes that are not UTF-8', post('lock.acquire', Buffer.from([0x22, 0xc3, 0x28, 0x22]))],
    [
      'a byte order mark',
      post('lock.acquire', `\uFEFF${JSON.stringify({ ...acquire, name: 'bom' })}`),
    ],
    ['a body of 20 KB', post('lock.acquire', { ...acquire, meta: { a: 'x'.repeat(20_000) } })],
    ['a body of 300 KB', post('lock.acquire', 'x'.repeat(300_000))],
    [
      'a body in chunks',
      post('lock.acquire', { ...acquire, name: 'ch' }, { ...json, 'transfer-encoding': 'chunked' }),
    ],
    [
      'a compressed body',
      post('lock.acquire', gzipSync(JSON.stringify(acquire)), {
        ...json,
        'content-encoding': 'gzip',
      }),
    ],
    [
      'a body that is only said to be compressed',
      post('lock.acquire', { ...acquire, name: 'z' }, { ...json, 'content-encoding': 'br' }),
    ],
    ['another type', post('lock.acquire', acquire, { ...json, 'content-type': 'text/plain' })],
    ['no type', post('lock.acquire', acquire, { authorization })],
    ['another site', post('lock.acquire', acquire, { ...json, origin: 'https://evil.example' })],
    [
      'a header of browsers',
      post('lock.acquire', acquire, { ...json, 'sec-fetch-site': 'same-site' }),
    ],
    [
      'a request for a stream',
      post('lock.acquire', acquire, { ...json, accept: 'application/jsonl' }),
    ],
    [
      'a header of tRPC',
      post('lock.acquire', acquire, { ...json, 'trpc-accept': 'application/jsonl' }),
    ],
    ['an odd host', post('lock.acquire', { ...acquire, name: 'host' }, { ...json, host: 'a b' })],
    ['an upgrade', get('lock.inspect', inputOf(name))].map((part) =>
      typeof part === 'string'
        ? part
        : { ...part, headers: { ...part.headers, connection: 'Upgrade', upgrade: 'websocket' } },
    ) as [string, WireRequest],
  ];
  test.each(odd)('%s', async (_, wire) => {
    expect(await expectSame(wire)).toMatchObject({ isTaken: false });
  });
});

test('a check added to procedures applies on both paths; the fast one still answers', async () => {
  const refuse = () => {
    throw new LockyardError('FORBIDDEN', 'A check refuses this.');
  };
  const checked = await BothPaths.start('orders', serviceProcedures([refuse]));
  try {
    for (const [name, { kind, example }] of Object.entries(SERVICE_API)) {
      const wire = kind === 'query' ? get(name, inputOf(example)) : post(name, example);
      const before = checked.taken;
      const { fast, stock } = await checked.ask(wire);
      expect(fast, name).toEqual(stock);
      expect(fast, name).toMatchObject({ status: 403 });
      expect(fast.body, name).toContain('A check refuses this.');
      expect(checked.taken, name).toBe(before + 1);
    }
  } finally {
    await checked.close();
  }
});

test('random requests of every kind get the same answers from both paths', async () => {
  const seed = newSeed();
  console.info(`seed ${seed}`);
  const before = paths.taken;
  const statuses = new Set<number>();
  const requests = randomRequests(seeded(seed));
  const lacksOne = () => STATUSES.some((status) => !statuses.has(status));
  for (let i = 0; i < FUZZED_REQUESTS || (i < REQUESTS_MAX && lacksOne()); i += 1) {
    const wire = requests.next();
    const { fast, stock } = await paths.ask(wire);
    expect(fast, `seed ${seed}, request ${i}: ${JSON.stringify(wire)}`).toEqual(stock);
    statuses.add(fast.status);
    requests.heard(fast.body);
  }
  expect(paths.taken - before).toBeGreaterThan(FUZZED_REQUESTS / 4);
  expect([...statuses]).toEqual(expect.arrayContaining(STATUSES));
});
