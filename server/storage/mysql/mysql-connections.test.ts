import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createScratchDatabase, testMysqlUrl } from '../conformance/testing/stores-under-test';
import { MysqlStore } from './mysql-store';

test('a server that does not answer is asked for one connection at a time', async () => {
  const opened: Socket[] = [];
  const silent = createServer((socket) => {
    opened.push(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const store = new MysqlStore(`mysql://a:b@127.0.0.1:${port}/c`);
  const readings = async () => {
    const calls = Array.from({ length: 10 }, () => store.read([], []));
    const ended = await Promise.allSettled(calls);
    return ended.map((call) => (call.status === 'rejected' ? call.reason : null));
  };
  await readings();
  const before = opened.length;
  for (const failure of await readings()) expect(failure).toMatchObject({ applied: 'no' });
  expect(opened.length - before).toBe(1);
  await store.close();
  for (const socket of opened) socket.destroy();
  silent.close();
});

test('a call uses a connection that is open rather than one that cannot be opened', async () => {
  const scratch = await createScratchDatabase(testMysqlUrl());
  const target = new URL(scratch.url);
  const sockets: Socket[] = [];
  // Forwards one connection, as a proxy does that has no room for more: they wait.
  const full = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    if (sockets.length > 1) return;
    const server = connect(Number(target.port), target.hostname);
    sockets[0]?.pipe(server).pipe(socket);
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
