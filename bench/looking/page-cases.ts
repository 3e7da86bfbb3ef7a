import { connect, type Socket } from 'node:net';
import type { LookingCase } from './looking-case';
import type { ServerUnderLoad } from './server-under-load';

const ASKING = 400;
const NEVER_READING = 1_000;
/** Of different kinds, together nearly 1 MB. */
const UNREAD_PAGES = 3;
const OPENED_AT_ONCE = 10;
const OPEN_EVERY_MS = 20;
const FILTERS = ['', '?state=held', '?state=free', '?sort=name', '?sort=queue&order=descending'];

/** Cases about pages: people or programs request more pages than the server can render. */
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
  let hasEnded = false;
  const open = new Set<Socket>();
  const ask = (i: number, round: number) => {
    if (hasEnded) return;
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
  const opening = openOneByOne(ASKING, (i) => ask(i, 0));
  return async () => {
    hasEnded = true;
    clearInterval(opening);
    for (const socket of open) socket.destroy();
    return `pages answered: ${JSON.stringify(statuses)}`;
  };
}

/**
 * Finds the end of each answer in the data of a connection, and does as little else as possible.
 */
class AnswerEnds {
  private status: string | null = null;
  /** Bytes of the body that have not arrived yet; null if only the last chunk marks its end. */
  private missing: number | null = null;

  constructor(private readonly onEnd: (status: string) => void) {}

  read(piece: Buffer): void {
    if (this.status === null) this.begin(piece);
    else if (this.missing !== null) this.missing -= piece.length;
    const isWhole =
      this.missing === null ? piece.subarray(-5).equals(LAST_CHUNK) : this.missing <= 0;
    if (!isWhole || this.status === null) return;
    const { status } = this;
    this.status = null;
    this.onEnd(status);
  }

  /** A head always arrives whole: the server writes it in one piece, into an empty buffer. */
  private begin(piece: Buffer): void {
    const headEnd = piece.indexOf('\r\n\r\n') + 4;
    const head = piece.toString('latin1', 0, headEnd);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    this.status = head.slice(9, 12);
    this.missing = length === undefined ? null : Number(length) - (piece.length - headEnd);
  }
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');

async function neverRead(server: ServerUnderLoad) {
  const open: Socket[] = [];
  const opening = openOneByOne(NEVER_READING, (i) => {
    const socket = connect(server.port, '127.0.0.1');
    open.push(socket);
    socket.pause();
    const requests = Array.from({ length: UNREAD_PAGES }, (_, round) =>
      requestText(server, pathOf(i + round, round)),
    );
    socket.on('connect', () => socket.write(requests.join('')));
    socket.on('error', () => undefined);
  });
  return async () => {
    clearInterval(opening);
    for (const socket of open) socket.destroy();
    return undefined;
  };
}

/** Opens them a few at a time: the case measures connections, not their arrival. */
function openOneByOne(count: number, openOne: (i: number) => void): NodeJS.Timeout {
  let opened = 0;
  const timer = setInterval(() => {
    for (let i = 0; i < OPENED_AT_ONCE && opened < count; i += 1, opened += 1) openOne(opened);
    if (opened === count) clearInterval(timer);
  }, OPEN_EVERY_MS);
  return timer;
}
