import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HttpCallerConnection } from './caller-connection';

let server: Server;
let caller: Socket;
let lines: HttpCallerConnection[];
let answerNow: () => void;

beforeEach(async () => {
  lines = [];
  server = createServer((_, res) => {
    lines.push(new HttpCallerConnection(res, { end() {} }));
    answerNow = () => res.end('done');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
  caller.on('error', () => undefined);
  caller.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => lines.length).toBe(1);
});
afterEach(async () => {
  caller.destroy();
  await new Promise((resolve) => server.close(resolve));
});

const line = () => lines[0] as HttpCallerConnection;

test('a caller that hangs up aborts its signal, whether requested before or after', async () => {
  const { signal } = line();
  expect([line().isClosed, signal.aborted]).toEqual([false, false]);
  caller.destroy();
  await expect.poll(() => signal.aborted).toBe(true);
  expect(line().isClosed).toBe(true);
});

test('a signal first requested after the caller hung up is already aborted', async () => {
  caller.destroy();
  await expect.poll(() => line().isClosed).toBe(true);
  expect(line().signal.aborted).toBe(true);
});

test('a caller that has received its answer did not hang up', async () => {
  const { signal } = line();
  const heard = new Promise((resolve) => caller.once('data', resolve));
  answerNow();
  await heard;
  caller.destroy();
  await new Promise((resolve) => server.close(resolve));
  expect([line().isClosed, signal.aborted]).toEqual([false, false]);
});
