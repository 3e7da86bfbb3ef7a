import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DatabaseTimeout } from '../database-failure';
import { DeadlinePool } from './mysql-pool';

/** Accepts connections, and never sends anything. */
let silent: Server;
let opened: Socket[];
let pool: DeadlinePool;
beforeEach(async () => {
  opened = [];
  silent = createServer((socket) => {
    opened.push(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  pool = new DeadlinePool(`mysql://a:b@127.0.0.1:${port}/c`);
});
afterEach(async () => {
  await pool.close();
  for (const socket of opened) socket.destroy();
  silent.close();
});

const failures = async () => {
  const calls = Array.from({ length: 100 }, () => pool.query({ sql: 'select 1' }));
  const ended = await Promise.allSettled(calls);
  return ended.map((call) => (call.status === 'rejected' ? call.reason : null));
};

test('no connection is opened for calls that have been given up', async () => {
  const errors = await failures();
  expect(errors.filter((error) => error instanceof DatabaseTimeout).length).toBeGreaterThan(50);
  const before = opened.length;
  await setTimeout(3_000);
  expect(opened.length - before).toBe(0);
});

test('it closes even while a connection to a silent server is being opened', async () => {
  const failure = pool.query({ sql: 'select 1' }).catch((error: unknown) => error);
  await expect(pool.close()).resolves.toBeUndefined();
  expect(await failure).toBeInstanceOf(Error);
});
