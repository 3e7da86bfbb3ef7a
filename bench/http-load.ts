import { connect, type Socket } from 'node:net';
import type { LoadOrder, LoadReport } from './http-loader';

/** Names are of one length, so that only the name differs between two requests. */
const NAMES = 10_000;

/**
 * The other side of the doors, in a process of its own: keeps so many connections busy, one request at a time on each,
 * and spends as little as it can on every answer.
 */
process.on('message', (order: LoadOrder) => {
  drive(order).then(
    (report) => process.send?.(report),
    (error: unknown) => process.send?.({ error: String(error) } satisfies LoadReport),
  );
});

async function drive({ port, path, key, leaseMs, connections, forMs }: LoadOrder) {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const requestFor = requestText(path, key, leaseMs);
  const startedAt = performance.now();
  const counts = await Promise.all(
    sockets.map((socket) => keepBusy(socket, requestFor, startedAt + forMs)),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const socket of sockets) socket.destroy();
  return { perSecond: counts.reduce((sum, count) => sum + count, 0) / seconds };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.setNoDelay(true);
    socket.once('error', reject);
  });
}

function requestText(path: string, key: string, leaseMs: number): (name: string) => string {
  const bodyOf = (name: string) => JSON.stringify({ name, owner: 'bench:worker-1', leaseMs });
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${bodyOf(nameOf(0)).length}`,
    '\r\n',
  ].join('\r\n');
  return (name) => head + bodyOf(name);
}

const nameOf = (i: number) => `lock-${String(i).padStart(5, '0')}`;

/** Resolves with the number of answers, once the time is over and the last one has come. */
function keepBusy(socket: Socket, requestFor: (name: string) => string, until: number) {
  return new Promise<number>((resolve, reject) => {
    let answers = 0;
    let text = '';
    const ask = () => socket.write(requestFor(nameOf(Math.floor(Math.random() * NAMES))), 'latin1');
    socket.setEncoding('latin1');
    socket.once('close', () => reject(new Error('A server closed a connection.')));
    socket.on('data', (part: string) => {
      text += part;
      if (!isWhole(text)) return;
      if (!text.startsWith('HTTP/1.1 200 ')) reject(new Error(`A server said: ${text}`));
      text = '';
      answers += 1;
      if (performance.now() < until) ask();
      else resolve(answers);
    });
    ask();
  });
}

function isWhole(answer: string): boolean {
  const headEnd = answer.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const length = /\r\nContent-Length: (\d+)/i.exec(answer)?.[1];
  if (length === undefined) return answer.endsWith('\r\n0\r\n\r\n');
  return answer.length - headEnd - 4 >= Number(length);
}
