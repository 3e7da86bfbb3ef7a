import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';
import { createHttpServer, listen } from './http-server';

const REQUEST_MAX_MS = 400;
const SOON = { timeout: 15_000 };

let api: ApiHarness;
let key: string;
let server: Server;
let line: Socket;
let heard = '';

beforeAll(async () => {
  api = await ApiHarness.start();
  key = await api.key('orders');
  server = createHttpServer(api.handlers, { requestMaxMs: REQUEST_MAX_MS, checkEveryMs: 50 });
  await listen(server, 0, '127.0.0.1');
});
afterEach(() => line.destroy());
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await api.close();
});

function open(): Promise<void> {
  heard = '';
  line = connect((server.address() as AddressInfo).port, '127.0.0.1');
  line
    .on('error', () => undefined)
    .setEncoding('utf8')
    .on('data', (text: string) => {
      heard += text;
    });
  return new Promise((resolve) => line.once('connect', resolve));
}

function acquire(name: string, more: Record<string, unknown> = {}): { head: string; body: string } {
  const body = JSON.stringify({ name, owner: 'worker', leaseMs: 60_000, ...more });
  const head = [
    'POST /api/v1/lock.acquire HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return { head: `${head.join('\r\n')}\r\n\r\n`, body };
}

const holders = async (name: string) =>
  (await api.get(key, 'lock.inspect', { name })).data?.holders as { owner: string }[];

const statuses = () => [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);

/** Suspends this process, as SIGSTOP does; what arrives meanwhile waits in the kernel. */
const stopFor = (ms: number) =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test.each([
  ['plain', ''],
  ['with an Origin', 'Origin: http://localhost\r\n'],
])(
  'a request (%s) whose end arrived while the process was stopped gets its real outcome',
  async (_, header) => {
    const name = `stopped ${header.length}`;
    const { head, body } = acquire(name);
    await open();
    const begun = once(server, 'request');
    line.write(head.replace('\r\n\r\n', `\r\n${header}\r\n`) + body.slice(0, 10));
    await begun;
    line.write(body.slice(10));
    stopFor(3 * REQUEST_MAX_MS);
    await expect.poll(() => heard, SOON).toContain('"outcome":"granted"');
    expect(statuses()).toEqual(['200']);
    expect(await holders(name)).toMatchObject([{ owner: 'worker' }]);
  },
);

test('a late request completed while the process is stopped gets its real outcome', async () => {
  const { head, body } = acquire('late and stopped');
  await open();
  const late = once(server, 'clientError');
  line.write(head + body.slice(0, 10));
  await late;
  line.write(body.slice(10));
  stopFor(REQUEST_MAX_MS);
  await expect.poll(statuses, SOON).toEqual(['200']);
  expect(await holders('late and stopped')).toMatchObject([{ owner: 'worker' }]);
});

test.each([
  ['plain', ''],
  ['with an Origin', 'Origin: http://localhost\r\n'],
])('a request (%s) that was refused as too slow is never carried out', async (_, header) => {
  const name = `slow ${header.length}`;
  const { head, body } = acquire(name);
  await open();
  line.write(head.replace('\r\n\r\n', `\r\n${header}\r\n`) + body.slice(0, 10));
  await expect.poll(statuses, SOON).toEqual(['400']);
  expect(heard).toContain('took too long to arrive');
  line.write(body.slice(10));
  await pause(200);
  expect(await holders(name)).toEqual([]);
  expect(statuses()).toEqual(['400']);
});

test.each([
  ['does not arrive in time', ''],
  ['turns out to be none', 'what is this\r\n'],
])(
  'a request that was answered before its body had arrived gets no second answer if that %s',
  async (_, rest) => {
    await open();
    const closed = new Promise((resolve) => line.once('close', resolve));
    const json = 'Content-Type: application/json\r\nTransfer-Encoding: chunked';
    line.write(`POST /api/v1/lock.acquire HTTP/1.1\r\nHost: localhost\r\n${json}\r\n\r\n`);
    await expect.poll(statuses, SOON).toEqual(['401']);
    line.write(rest);
    await closed;
    expect(statuses()).toEqual(['401']);
  },
);

test('an idle connection closes without answering a request that may be on its way', async () => {
  await open();
  const closed = new Promise((resolve) => line.once('close', resolve));
  await closed;
  expect(heard).toBe('');
});

test('a request that waits on a connection is answered before a later one is refused', async () => {
  await api.post(key, 'lock.acquire', { name: 'busy', owner: 'holder', leaseMs: 60_000 });
  const { head, body } = acquire('busy', { waitMs: 600 });
  await open();
  line.write(`${head}${body}this is no request\r\n\r\n`);
  await expect.poll(statuses, SOON).toEqual(['200', '400']);
  expect(heard.indexOf('"outcome":"timeout"')).toBeGreaterThan(0);
  expect(heard.indexOf('"outcome":"timeout"')).toBeLessThan(heard.indexOf('HTTP/1.1 400'));
});

test('a slow request behind a waiting one is refused only after that was answered', async () => {
  await api.post(key, 'lock.acquire', { name: 'busy', owner: 'holder', leaseMs: 60_000 });
  const first = acquire('busy', { waitMs: 1_000 });
  const second = acquire('behind');
  await open();
  line.write(`${first.head}${first.body}${second.head}${second.body.slice(0, 5)}`);
  await expect.poll(statuses, SOON).toEqual(['200', '400']);
  line.write(second.body.slice(5));
  await pause(100);
  expect(await holders('behind')).toEqual([]);
});
