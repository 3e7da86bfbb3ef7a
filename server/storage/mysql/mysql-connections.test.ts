import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
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
