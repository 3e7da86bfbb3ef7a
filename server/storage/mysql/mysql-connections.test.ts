import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createScratchDatabase, testMysqlUrl } from '../conformance/testing/stores-under-test';
import { MysqlConnection } from './mysql-connection';
import { MysqlStore } from './mysql-store';

test('a call uses a connection that is open rather than one that cannot be opened', async () => {
  const scratch = await createScratchDatabase(testMysqlUrl());
  const target = new URL(scratch.url);
  const sockets: Socket[] = [];
  // Forwards one connection, as a proxy does that has no room for more: they wait.
  const full = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    if (sockets.length > 1) return;
    const server = connect(Number(target.port), target.hostname);
    socket.pipe(server.on('error', () => socket.destroy())).pipe(socket);
  });
  await new Promise<void>((resolve) => full.listen(0, '127.0.0.1', resolve));
  const { port } = full.address() as AddressInfo;
  const url = Object.assign(new URL(scratch.url), { hostname: '127.0.0.1', port });
  const store = new MysqlStore(url.href);
  const read = () => store.read([], []).then(() => 'answered', String);
  expect(await read()).toBe('answered');
  const both = await Promise.all([read(), read()]);
  expect(both.filter((answer) => answer === 'answered')).toHaveLength(1);
  for (let i = 0; i < 3; i += 1) expect(await read()).toBe('answered');
  await store.close();
  for (const socket of sockets) socket.destroy();
  full.close();
  await scratch.drop();
});

test('a call whose connection opens only after the store was closed was not sent', async () => {
  const connection = new MysqlConnection(testMysqlUrl(), 5_000);
  const call = connection.packet(['SELECT 1']);
  connection.close();
  await expect(call).rejects.toMatchObject({ applied: 'no' });
});
