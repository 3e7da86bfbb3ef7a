import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DatabaseTimeout } from '../database-failure';
import { DeadlinePool } from './mysql-pool';

test('no connection is opened for calls that have been given up', async () => {
  let opened = 0;
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => {
    opened += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const pool = new DeadlinePool(`mysql://a:b@127.0.0.1:${port}/c`);
  const calls = Array.from({ length: 100 }, () => pool.query({ sql: 'select 1' }));
  const failures = (await Promise.allSettled(calls)).map((call) => 'reason' in call && call.reason);
  expect(failures.filter((error) => error instanceof DatabaseTimeout).length).toBeGreaterThan(50);
  const openedBefore = opened;
  await setTimeout(3_000);
  expect(opened - openedBefore).toBe(0);
  await pool.close();
  for (const socket of sockets) socket.destroy();
  silent.close();
});
