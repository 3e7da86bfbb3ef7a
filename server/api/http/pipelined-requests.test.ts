import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';

let api: ApiHarness;
let key: string;
let line: Socket;

const SOON = { timeout: 15_000 };

beforeAll(async () => {
  api = await ApiHarness.start();
  key = await api.key('orders');
});
afterEach(() => line.destroy());
afterAll(() => api.close());

/** Sends requests on one connection without waiting for answers. */
function sendAtOnce(...requests: string[]): void {
  line = connect(Number(new URL(api.url).port), '127.0.0.1');
  line
    .on('error', () => undefined)
    .setEncoding('utf8')
    .write(requests.join(''));
}

function acquire(owner: string, input: Record<string, unknown>): string {
  const body = JSON.stringify({ name: 'busy', owner, leaseMs: 60_000, ...input });
  const head = [
    'POST /api/v1/lock.acquire HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

const state = async (name = 'busy') => {
  const { data } = await api.get(key, 'lock.inspect', { name });
  const { holders, waiters } = data as Record<'holders' | 'waiters', { owner: string }[]>;
  return { holders: holders.map((h) => h.owner), waiters: waiters.map((w) => w.owner) };
};

test('a caller that hangs up leaves every queue that it joined over that connection', async () => {
  await api.post(key, 'lock.acquire', { name: 'busy', owner: 'holder', leaseMs: 60_000 });
  const wait = { waitMs: 20_000 };
  sendAtOnce(acquire('first', wait), acquire('second', wait), acquire('third', { name: 'idle' }));
  await expect.poll(async () => (await state()).waiters, SOON).toContain('first');
  line.destroy();
  await expect.poll(async () => (await state()).waiters, SOON).toEqual([]);
  expect(await state('idle')).toEqual({ holders: [], waiters: [] });
  await expect.poll(() => api.handlers.requests.unfinished, SOON).toBe(0);
});

const CUT_OFF = () => acquire('cut off', {}).slice(0, -1);
const LONG = () => acquire('long', { meta: { text: 'x'.repeat(200_000) } });

test.each([
  ['what is no request', () => 'garbage\r\n\r\n'],
  ['a request that is cut off', CUT_OFF],
  ['a request for a tunnel', () => 'CONNECT other:1 HTTP/1.1\r\nHost: other\r\n\r\n'],
  ['a long request', LONG],
])('a caller that hangs up after %s leaves the queue that it waits in', async (what, last) => {
  const name = `after ${what}`;
  await api.post(key, 'lock.acquire', { name, owner: 'holder', leaseMs: 60_000 });
  sendAtOnce(acquire('waiter', { name, waitMs: 20_000 }), last());
  await expect.poll(async () => (await state(name)).waiters, SOON).toEqual(['waiter']);
  line.destroy();
  await expect.poll(async () => (await state(name)).waiters, SOON).toEqual([]);
});

test('requests on one connection are answered in order, each seeing earlier effects', async () => {
  const tried = ['a', 'b', 'c'].map((owner) => acquire(owner, { name: 'tried' }));
  sendAtOnce(...tried);
  let heard = '';
  line.on('data', (text: string) => {
    heard += text;
  });
  const outcomes = () => [...heard.matchAll(/"outcome":"(\w+)"/g)].map(([, outcome]) => outcome);
  await expect.poll(outcomes, SOON).toEqual(['granted', 'held', 'held']);
});

test('requests sent at once that would wait too long are refused with the reason', async () => {
  await api.post(key, 'lock.acquire', { name: 'slow', owner: 'holder', leaseMs: 60_000 });
  const wait = acquire('waiter', { name: 'slow', waitMs: 20_000, requestId: 'slow' });
  sendAtOnce(wait, ...Array.from({ length: 200 }, () => acquire('x', { name: 'slow' })));
  let heard = '';
  line.on('data', (text: string) => {
    heard += text;
  });
  await expect.poll(async () => (await state('slow')).waiters, SOON).toEqual(['waiter']);
  await expect.poll(() => api.handlers.requests.unfinished, SOON).toBe(1);
  await api.post(key, 'lock.cancel', { name: 'slow', owner: 'waiter', requestId: 'slow' });
  await expect.poll(() => heard.match(/HTTP\/1\.1 \d+/g)?.length, SOON).toBe(201);
  expect(heard.match(/HTTP\/1\.1 200/g)?.length).toBeGreaterThanOrEqual(101);
  expect(heard).toMatch(/HTTP\/1\.1 429.*"reason":"RATE_LIMITED"/s);
  expect(heard).not.toContain('HTTP/1.1 5');
});

test('waiting requests of a connection use little memory, however long their headers', async () => {
  const name = 'long headers';
  await api.post(key, 'lock.acquire', { name, owner: 'holder', leaseMs: 60_000 });
  const wait = acquire('waiter', { name, waitMs: 20_000, requestId: 'long headers' });
  const long = acquire('x', { name }).replace('\r\n', `\r\nX-Long: ${'x'.repeat(40_000)}\r\n`);
  const refusedBefore = await refusals();
  sendAtOnce(wait, long, long, long, long, long, acquire('x', { name }));
  let heard = '';
  line.on('data', (text: string) => {
    heard += text;
  });
  await expect.poll(async () => (await state(name)).waiters, SOON).toEqual(['waiter']);
  await expect.poll(refusals, SOON).toBe(refusedBefore + 2);
  await api.post(key, 'lock.cancel', { name, owner: 'waiter', requestId: 'long headers' });
  const statuses = () => [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  await expect.poll(statuses, SOON).toEqual(['200', '200', '200', '200', '429', '429', '200']);
});

test('a request behind a waiting one is refused if its body may be long', async () => {
  const name = 'long';
  await api.post(key, 'lock.acquire', { name, owner: 'holder', leaseMs: 60_000 });
  const short = acquire('short', { name });
  const wait = acquire('waiter', { name, waitMs: 20_000, requestId: 'long' });
  const refusedBefore = await refusals();
  sendAtOnce(wait, LONG(), chunked(short), short);
  let heard = '';
  line.on('data', (text: string) => {
    heard += text;
  });
  await expect.poll(async () => (await state(name)).waiters, SOON).toEqual(['waiter']);
  await expect.poll(refusals, SOON).toBe(refusedBefore + 2);
  await api.post(key, 'lock.cancel', { name, owner: 'waiter', requestId: 'long' });
  const statuses = () => [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  await expect.poll(statuses, SOON).toEqual(['200', '429', '429', '200']);
});

/** How many requests were refused because they would have had to wait. */
async function refusals(): Promise<number> {
  const { text } = await api.send('/metrics');
  return Number(/^lockyard_refusals_total\{limit="pipeline"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** The same request with a body of unknown length. */
function chunked(request: string): string {
  const [head = '', body = ''] = request.split('\r\n\r\n');
  const size = Buffer.byteLength(body).toString(16);
  const unsized = head.replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked');
  return `${unsized}\r\n\r\n${size}\r\n${body}\r\n0\r\n\r\n`;
}
