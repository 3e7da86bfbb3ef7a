import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { TestClock } from '../../../platform/testing/test-clock';
import { noteAwaited, UnreadConnections } from './unread-connections';

const MEBIBYTE = 1024 * 1024;
const open: { server: Server; sockets: Socket[] }[] = [];

afterEach(async () => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server that checks its connections every second, by a clock that the test moves. */
async function serve(answer: RequestListener) {
  const clock = new TestClock();
  const looks = vi.spyOn(clock, 'monotonic');
  const unread = new UnreadConnections(clock);
  let answers = 0;
  const server = createServer((req, res) => {
    unread.follow(res);
    answer(req, res);
    answers += 1;
  });
  unread.watch(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets: Socket[] = [];
  open.push({ server, sockets });
  const ask = () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    sockets.push(socket);
    return socket;
  };
  /** Waits until all answers have begun and two checks have run since. */
  const aLook = async () => {
    await expect.poll(() => answers).toBe(sockets.length);
    const before = looks.mock.calls.length;
    await expect.poll(() => looks.mock.calls.length).toBeGreaterThanOrEqual(before + 2);
  };
  return { clock, unread, ask, aLook };
}

test('a connection that reads nothing for 10 s is closed, a slow one is not', async () => {
  const answer: RequestListener = (_, res) => res.end(Buffer.alloc(24 * MEBIBYTE));
  const { clock, unread, ask, aLook } = await serve(answer);
  ask();
  const slow = ask();
  await aLook();
  clock.pass(9_000);
  // More than the kernel buffers, so that the other side notices.
  await readSome(slow, 12 * MEBIBYTE);
  await aLook();
  expect(unread.closed).toBe(0);
  clock.pass(2_000);
  await expect.poll(() => unread.closed).toBe(1);
  await readSome(slow, 11 * MEBIBYTE);
});

test('a live stream with more than 1 MB unread is closed at once', async () => {
  const { unread, ask } = await serve((_, res) => {
    res.setHeader('Content-Type', 'text/event-stream');
    res.write(Buffer.alloc(24 * MEBIBYTE));
  });
  ask();
  await expect.poll(() => unread.closed).toBe(1);
});

test('a live stream is kept while its reader reads, however large an event is', async () => {
  const { clock, unread, ask, aLook } = await serve((_, res) => {
    noteAwaited(res);
    res.setHeader('Content-Type', 'text/event-stream');
    res.write(Buffer.alloc(24 * MEBIBYTE));
  });
  const slow = ask();
  await readSome(slow, 12 * MEBIBYTE);
  await aLook();
  expect(unread.closed).toBe(0);
  clock.pass(11_000);
  await expect.poll(() => unread.closed).toBe(1);
});

test('a connection that waits for its answer is kept, however long that takes', async () => {
  const { clock, unread, ask, aLook } = await serve(() => undefined);
  ask();
  await aLook();
  clock.pass(60_000);
  await aLook();
  expect(unread.closed).toBe(0);
});

/** Rejects if the connection ends earlier. */
function readSome(socket: Socket, bytes: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let read = 0;
    const onData = (piece: Buffer) => {
      read += piece.length;
      if (read < bytes) return;
      socket.pause();
      socket.off('data', onData);
      resolve();
    };
    socket.on('data', onData);
    socket.once('close', () => reject(new Error('The connection was closed.')));
    socket.resume();
  });
}
