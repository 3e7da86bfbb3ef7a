import { connect, type Socket } from 'node:net';
import type { LoadOrder, LoadReport } from './http-loader';

/** All names have the same length, so two requests differ only in their names. */
const NAMES = 10_000;

/**
 * The client side, in a separate process: keeps a number of connections busy, one request at a time
 * on each, and does as little work as possible for each answer.
 */
process.on('message', (order: LoadOrder) => {
  drive(order).then(
    (report) => process.send?.(report),
    (error: unknown) => process.send?.({ error: String(error) } satisfies LoadReport),
  );
});

async function drive({ port, path, key, leaseMs, connections, forMs, depth = 1 }: LoadOrder) {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const requestFor = requestText(path, key, leaseMs);
  const startedAt = performance.now();
  const load = { requestFor, until: startedAt + forMs, depth };
  const waits = await Promise.all(sockets.map((socket) => keepBusy(socket, load)));
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const socket of sockets) socket.destroy();
  const sorted = Float64Array.from(waits.flat()).sort();
  const p99Ms = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  return { perSecond: sorted.length / seconds, p99Ms };
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

interface Load {
  requestFor: (name: string) => string;
  until: number;
  depth: number;
}

/**
 * Resolves with the time of each answer, in milliseconds, once the time is over and the last answer
 * has arrived.
 */
function keepBusy(socket: Socket, { requestFor, until, depth }: Load): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const waits: number[] = [];
    const sentAt: number[] = [];
    let text = '';
    const ask = () => {
      sentAt.push(performance.now());
      socket.write(requestFor(nameOf(Math.floor(Math.random() * NAMES))), 'latin1');
    };
    socket.setEncoding('latin1');
    socket.once('close', () => reject(new Error('A server closed a connection.')));
    socket.on('data', (part: string) => {
      text += part;
      for (let end = endOfAnswer(text); end > 0; end = endOfAnswer(text)) {
        if (!text.startsWith('HTTP/1.1 200 ')) reject(new Error(`A server said: ${text}`));
        text = text.slice(end);
        const now = performance.now();
        waits.push(now - (sentAt.shift() ?? now));
        if (now < until) ask();
        else if (sentAt.length === 0) resolve(waits);
      }
    });
    for (let i = 0; i < depth; i += 1) ask();
  });
}

/**
 * Where the first answer ends; 0 if it is incomplete. The text must not contain more answers after
 * a chunked one.
 */
function endOfAnswer(text: string): number {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return 0;
  const length = /\r\nContent-Length: (\d+)/i.exec(text)?.[1];
  if (length === undefined) return text.endsWith('\r\n0\r\n\r\n') ? text.length : 0;
  const end = headEnd + 4 + Number(length);
  return text.length >= end ? end : 0;
}
