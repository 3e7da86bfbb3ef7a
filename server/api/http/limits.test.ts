import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';
import { createApiKey } from '../../operations/api-keys/create-api-key';
import { TestClock } from '../../platform/testing/test-clock';

const FLOOD = 80;
const SOON = { timeout: 10_000 };

let api: ApiHarness;
const lines: Socket[] = [];
afterEach(async () => {
  for (const line of lines.splice(0)) line.destroy();
  await api.close();
});

const refusals = async (limit: string) => {
  const { text } = await api.send('/metrics');
  return Number(new RegExp(`lockyard_refusals_total{limit="${limit}"} (\\d+)`).exec(text)?.[1]);
};

describe('calls a second', () => {
  const limited = () =>
    ApiHarness.start({ LOCKYARD_CALLS_PER_SECOND: '5' }, { clock: new TestClock() });
  const mine = { name: 'mine', owner: 'worker-1' };
  const lease = { leaseMs: 60_000 };

  /** Makes calls until the budget is used up. */
  async function useUp(key: string): Promise<void> {
    let reply = await api.get(key, 'lock.inspect', { name: 'other' });
    for (let i = 0; i < 20 && reply.status === 200; i += 1) {
      reply = await api.get(key, 'lock.inspect', { name: 'other' });
    }
    expect(reply.reason).toBe('RATE_LIMITED');
  }

  test('beyond the limit are refused with a retry time, counted by key and namespace', async () => {
    api = await limited();
    await api.namespace('shop');
    const key = await api.key('orders', ['default', 'shop']);
    const other = await api.key('billing');
    await useUp(key);
    const reply = await api.post(key, 'lock.acquire', { ...mine, ...lease });
    expect(reply).toMatchObject({ status: 429, reason: 'RATE_LIMITED' });
    expect(reply.error?.data.retryAfterMs).toBeGreaterThan(0);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    const elsewhere = { ...mine, ...lease, namespace: 'shop' };
    expect((await api.post(key, 'lock.acquire', elsewhere)).data?.outcome).toBe('granted');
    expect((await api.post(other, 'lock.acquire', { ...mine, ...lease })).status).toBe(200);
    expect(await refusals('calls')).toBeGreaterThanOrEqual(2);
  });

  test('never cost a hold: renew, release and cancel have no limit, alone or batched', async () => {
    api = await limited();
    const key = await api.key('orders');
    const { data } = await api.post(key, 'lock.acquire', { ...mine, ...lease });
    const hold = { ...mine, token: data?.token };
    await useUp(key);
    for (let i = 0; i < 40; i += 1) {
      const renewed = await api.post(key, 'lock.renew', { ...hold, ...lease });
      expect(renewed.data?.outcome).toBe('renewed');
    }
    const cancel = { ...mine, requestId: 'never sent' };
    expect((await api.post(key, 'lock.cancel', cancel)).data?.outcome).toBe('none');
    const names = { names: ['mine', 'other'], owner: 'worker-1', requestId: 'never sent' };
    expect((await api.post(key, 'lock.cancelMany', names)).data?.outcome).toBe('none');
    const batch = { 0: { ...hold, ...lease }, 1: hold };
    const both = await api.send('/api/v1/lock.renew,lock.release?batch=1', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(batch),
    });
    const answers = JSON.parse(both.text) as { result: { data: { outcome: string } } }[];
    expect(answers.map(({ result }) => result.data.outcome)).toEqual(['renewed', 'released']);
    expect((await api.post(key, 'lock.acquire', { ...mine, ...lease })).reason).toBe(
      'RATE_LIMITED',
    );
  });

  test('are counted of a witness too, whose refusal names no namespace', async () => {
    api = await limited();
    const name = 'host-4';
    const { key: secret } = await createApiKey(api.cli, { name, namespaces: [], witness: true });
    const host = { host: 'h4', bootId: '0123abcd', pidNamespace: '1' };
    let reply = await api.post(secret, 'witness.report', host);
    expect(reply.status).toBe(200);
    for (let i = 0; i < 20 && reply.status === 200; i += 1) {
      reply = await api.post(secret, 'witness.report', host);
    }
    expect(reply).toMatchObject({ status: 429, reason: 'RATE_LIMITED' });
    expect(reply.error?.message).toBe('Over 5 calls per second with this API key.');
  });

  test('count by weight: a multi-lock once per lock, a list as ten', async () => {
    api = await limited();
    const key = await api.key('orders');
    const set = (names: string[]) => ({
      locks: names.map((name) => ({ name })),
      owner: 'worker-1',
      ...lease,
    });
    const six = await api.post(key, 'lock.acquireMany', set(['a', 'b', 'c', 'd', 'e', 'f']));
    expect(six.data?.outcome).toBe('granted');
    const another = await api.post(key, 'lock.acquireMany', set(['g', 'h', 'i', 'j', 'k', 'l']));
    expect(another.reason).toBe('RATE_LIMITED');
    expect((await api.get(key, 'lock.list', {})).reason).toBe('RATE_LIMITED');
  });
});

test('waiting calls are limited for each key, and each call that ends makes room', async () => {
  api = await ApiHarness.start({ LOCKYARD_WAITS_PER_KEY: '4' });
  const [key, other] = [await api.key('orders'), await api.key('billing')];
  const held = { name: 'held', owner: 'holder', leaseMs: 60_000 };
  const { data } = await api.post(key, 'lock.acquire', held);
  const wait = (by: string, i: number) =>
    api.post(by, 'lock.acquire', { ...held, owner: `waiter-${i}`, waitMs: 20_000 });
  const waiting = [0, 1, 2, 3].map((i) => wait(key, i));
  const queued = async () => (await api.get(key, 'lock.inspect', { name: 'held' })).data?.waiters;
  await expect.poll(queued, SOON).toHaveLength(4);
  const both = { locks: [{ name: 'held' }, { name: 'free' }], owner: 'w', leaseMs: 60_000 };
  for (const fifth of [
    await wait(key, 4),
    await api.post(key, 'lock.acquireMany', { ...both, waitMs: 20_000 }),
  ]) {
    expect(fifth).toMatchObject({ status: 429, reason: 'RATE_LIMITED' });
    expect(fifth.error?.data.retryAfterMs).toBeGreaterThan(0);
  }
  expect((await api.post(key, 'lock.acquire', { ...held, name: 'free' })).data?.outcome).toBe(
    'granted',
  );
  const ofOther = wait(other, 5);
  await expect.poll(queued, SOON).toHaveLength(5);
  await api.post(key, 'lock.release', { name: 'held', owner: 'holder', token: data?.token });
  expect((await Promise.race(waiting)).data?.outcome).toBe('granted');
  const again = wait(key, 6);
  await expect.poll(queued, SOON).toHaveLength(5);
  expect(await refusals('waits')).toBe(2);
  await api.runtime.engines.get('default')?.drain();
  await Promise.all([...waiting, ofOther, again]);
});

describe('connections', () => {
  const head = (path: string, more: string[] = []) =>
    [`GET ${path} HTTP/1.1`, 'Host: localhost', ...more, '\r\n'].join('\r\n');

  async function open(): Promise<Socket> {
    const line = connect(Number(new URL(api.url).port), '127.0.0.1').setEncoding('utf8');
    line.on('error', () => undefined);
    lines.push(line);
    await once(line, 'connect');
    return line;
  }
  async function ask(line: Socket, text: string): Promise<string> {
    let heard = '';
    line.on('data', (part: string) => {
      heard += part;
    });
    line.write(text);
    await expect.poll(() => heard, SOON).toMatch(/\r\n\r\n.*\S/s);
    return heard;
  }

  test('one beyond the limit gets 429 and closes; busy or authenticated ones stay', async () => {
    api = await ApiHarness.start({ LOCKYARD_CONNECTIONS: '10' });
    const key = await api.key('orders');
    const inspect = head('/api/v1/lock.inspect?input=%7B%22name%22%3A%22a%22%7D', [
      `Authorization: Bearer ${key}`,
    ]);
    const known = [];
    for (let i = 0; i < 10; i += 1) {
      const line = await open();
      expect(await ask(line, inspect)).toMatch('HTTP/1.1 200');
      await ask(line, inspect);
      known.push(line);
    }
    const tooMany = await open();
    const closed = once(tooMany, 'close');
    const heard = await ask(tooMany, '');
    expect(heard).toMatch(/^HTTP\/1.1 429.*Retry-After: 1.*"reason":"RATE_LIMITED"/s);
    await closed;
    for (const line of known) expect(await ask(line, inspect)).toMatch('HTTP/1.1 200');
    known[0]?.destroy();
    const accepted = () =>
      new Promise<number>((resolve) => api.server.getConnections((_, found) => resolve(found)));
    await expect.poll(accepted, SOON).toBe(9);
    expect(await ask(await open(), inspect)).toMatch('HTTP/1.1 200');
  });

  test('idle ones that never sent a key are closed to make room, the oldest first', async () => {
    api = await ApiHarness.start({ LOCKYARD_CONNECTIONS: '10' });
    const strangers = [];
    for (let i = 0; i < 10; i += 1) strangers.push(await open());
    const closed = once(strangers[0] as Socket, 'close');
    const next = await open();
    await closed;
    expect(await ask(next, head('/api/health/live'))).toMatch('HTTP/1.1 200');
    expect(strangers.slice(1).every((line) => !line.closed)).toBe(true);
  });

  test('ones without a key are closed to make room even while a body is expected', async () => {
    api = await ApiHarness.start({ LOCKYARD_CONNECTIONS: '10' });
    const slow = head('/api/v1/lock.acquire', [
      'Content-Type: application/json',
      'Content-Length: 99',
    ])
      .replace(/^GET/, 'POST')
      .concat('{');
    const begun: number[] = [];
    api.server.on('request', () => begun.push(1));
    const strangers = [];
    for (let i = 0; i < 10; i += 1) {
      const line = await open();
      line.write(slow);
      strangers.push(line);
    }
    await expect.poll(() => begun.length, SOON).toBe(10);
    const closed = once(strangers[0] as Socket, 'close');
    const next = await open();
    expect(await ask(next, head('/api/health/live'))).toMatch('HTTP/1.1 200');
    await closed;
    expect(strangers.slice(1).every((line) => !line.closed)).toBe(true);
  });
});

test('a key whose callers send without pause leaves another key its share', async () => {
  api = await ApiHarness.start();
  const [key, flood] = [await api.key('orders'), await api.key('flood')];
  let floodAnswers = 0;
  /**
   * For each call of the other key: how many of the flood were answered between its request and its
   * answer.
   */
  const before: number[] = [];
  api.server.prependListener('request', ({ headers }: IncomingMessage, res: ServerResponse) => {
    const seen = floodAnswers;
    const isFlood = headers.authorization === `Bearer ${flood}`;
    res.once('finish', () => {
      if (isFlood) floodAnswers += 1;
      else before.push(floodAnswers - seen);
    });
  });
  let isOver = false;
  const acquire = (by: string, name: string) =>
    api.post(by, 'lock.acquire', { name, owner: 'a', leaseMs: 60_000 });
  const send = async (i: number) => {
    while (!isOver) await acquire(flood, `lock ${i}`);
  };
  const senders = Array.from({ length: FLOOD }, (_, i) => send(i));
  await expect.poll(() => floodAnswers, SOON).toBeGreaterThan(FLOOD);
  const call = async (i: number) => {
    for (let turn = 0; turn < 5; turn += 1) await acquire(key, `mine ${i} ${turn}`);
  };
  await Promise.all(Array.from({ length: 8 }, (_, i) => call(i)));
  isOver = true;
  await Promise.all(senders);
  const middle = before.sort((a, b) => a - b)[before.length / 2];
  // In order of arrival, nearly all of them would have been answered.
  expect(middle).toBeLessThan(FLOOD / 2);
});
