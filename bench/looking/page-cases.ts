import { connect, type Socket } from 'node:net';
import type { LookingCase } from './looking-case';
import type { ServerUnderLoad } from './server-under-load';

const ASKING = 400;
const NEVER_READING = 1_000;
const FILTERS = ['', '?state=held', '?state=free', '?sort=name', '?sort=queue&order=descending'];

/** Cases about pages: people, or their robots, who ask for more of them than can be rendered. */
export const pageCases: LookingCase[] = [
  {
    name: '400 connections ask for pages without a pause',
    load: askWithoutPause,
  },
  {
    name: '1,000 connections ask for pages and never read',
    load: neverRead,
  },
];

function pathOf(i: number, round: number): string {
  if (i % 2 === 0) return '/docs';
  const filter = FILTERS[(i + round) % FILTERS.length] ?? '';
  return filter === '' ? `/?q=find-${i}-${round}` : `/${filter}&q=${round % 7}`;
}

const requestText = ({ port, cookie }: ServerUnderLoad, path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n\r\n`;

async function askWithoutPause(server: ServerUnderLoad) {
  const statuses: Record<string, number> = {};
  let isOver = false;
  const open = new Set<Socket>();
  const ask = (i: number, round: number) => {
    if (isOver) return;
    const socket = connect(server.port, '127.0.0.1');
    open.add(socket);
    let rounds = round;
    const send = () => socket.write(requestText(server, pathOf(i, rounds)));
    const answered = new AnswerEnds((status) => {
      statuses[status] = (statuses[status] ?? 0) + 1;
      rounds += 1;
      send();
    });
    socket.on('connect', send);
    socket.on('data', (piece) => answered.read(piece));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open.delete(socket);
      setTimeout(() => ask(i, rounds), 10);
    });
  };
  for (let i = 0; i < ASKING; i += 1) ask(i, 0);
  return async () => {
    isOver = true;
    for (const socket of open) socket.destroy();
    return `pages answered: ${JSON.stringify(statuses)}`;
  };
}

/** Finds the end of each answer in what a connection receives. */
class AnswerEnds {
  private text = '';

  constructor(private readonly onEnd: (status: string) => void) {}

  read(piece: Buffer): void {
    this.text += piece.toString('latin1');
    const headEnd = this.text.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(this.text.slice(0, headEnd + 2))?.[1];
    const isWhole =
      length === undefined
        ? this.text.endsWith('0\r\n\r\n')
        : this.text.length - headEnd - 4 >= Number(length);
    if (!isWhole) return;
    const status = this.text.slice(9, 12);
    this.text = '';
    this.onEnd(status);
  }
}

async function neverRead(server: ServerUnderLoad) {
  let isOver = false;
  let closed = 0;
  const open = new Set<Socket>();
  const ask = (i: number) => {
    if (isOver) return;
    const socket = connect(server.port, '127.0.0.1');
    open.add(socket);
    socket.pause();
    socket.on('connect', () => {
      // More than the buffers of the kernels hold, so that what is not read stays with the server.
      const many = Array.from({ length: 20 }, (_, round) => requestText(server, pathOf(i, round)));
      socket.write(many.join(''));
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open.delete(socket);
      if (isOver) return;
      closed += 1;
      setTimeout(() => ask(i), 100);
    });
  };
  for (let i = 0; i < NEVER_READING; i += 1) ask(i);
  return async () => {
    isOver = true;
    for (const socket of open) socket.destroy();
    return `the server closed ${closed} connections`;
  };
}
