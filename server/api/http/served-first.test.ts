import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';

const HELD = 20;
const WANTED = 200;
const BLOCKED_MS = 500;

let api: ApiHarness;
let key: string;
let lines: Socket[] = [];
/** Statuses and addresses in the order of their answers. */
const answered: string[] = [];

beforeAll(async () => {
  api = await ApiHarness.start();
  key = await api.key('orders');
  api.server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
    res.once('finish', () => answered.push(`${res.statusCode} ${req.url}`));
  });
});
afterAll(async () => {
  for (const line of lines) line.destroy();
  await api.close();
});

async function openLines(count: number): Promise<void> {
  const { port } = new URL(api.url);
  lines = Array.from({ length: count }, () => connect(Number(port), '127.0.0.1'));
  const accepted = () =>
    new Promise<number>((resolve) => api.server.getConnections((_, found) => resolve(found)));
  await Promise.all(lines.map((line) => once(line, 'connect')));
  for (const line of lines) line.on('error', () => undefined);
  await expect.poll(accepted, { timeout: 10_000 }).toBeGreaterThanOrEqual(count);
}

function send(line: Socket, path: string, input: unknown): void {
  const body = JSON.stringify(input);
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  line.write(`${head.join('\r\n')}\r\n\r\n${body}`);
}

test('after the process was blocked, renewals are answered before acquires', async () => {
  const owner = 'worker-1';
  const tokens: number[] = [];
  for (let i = 0; i < HELD; i += 1) {
    const held = { name: `held ${i}`, owner, leaseMs: 60_000 };
    tokens.push(Number((await api.post(key, 'lock.acquire', held)).data?.token));
  }
  await openLines(WANTED + HELD);
  answered.length = 0;
  lines.forEach((line, i) => {
    const token = tokens[i - WANTED];
    if (token === undefined) {
      const wanted = { name: `wanted ${i}`, owner, leaseMs: 60_000 };
      send(line, '/api/v1/lock.acquire', wanted);
    } else {
      const renewal = { name: `held ${i - WANTED}`, owner, token, leaseMs: 60_000 };
      send(line, '/api/v1/lock.renew', renewal);
    }
  });
  const until = performance.now() + BLOCKED_MS;
  while (performance.now() < until);
  await expect.poll(() => answered.length, { timeout: 10_000 }).toBe(WANTED + HELD);
  // A few calls start when they arrive, before the server knows of those that follow.
  expect(answered.lastIndexOf('200 /api/v1/lock.renew')).toBeLessThan(HELD + 20);
});
