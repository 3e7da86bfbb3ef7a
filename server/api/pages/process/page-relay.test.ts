import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RequestScope } from '../../http/requests/request-scope';
import { PageProcessFailure, PageRelay } from './page-relay';

let folder: string;
let pages: Server;
let front: Server;
let relay: PageRelay;
let rendered = 0;
/** Whether the page process accepts requests but answers none, like a stopped process. */
let isStopped = false;

const listening = (server: Server, ...on: [string] | [number, string]) =>
  new Promise<void>((resolve) => server.listen(...(on as [string]), resolve));
const closed = (server: Server) => new Promise((resolve) => server.close(resolve));

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ly-relay-'));
  const path = join(folder, 'p.sock');
  rendered = 0;
  isStopped = false;
  pages = createServer((_, res) => {
    rendered += 1;
    if (!isStopped) res.end('a page');
  });
  await listening(pages, path);
  relay = new PageRelay(path);
});
afterEach(async () => {
  relay.close();
  await Promise.all([closed(front), closed(pages)]);
  rmSync(folder, { recursive: true, force: true });
});

function relayTo(req: IncomingMessage, res: ServerResponse): Promise<number | null> {
  const gone = new AbortController();
  if (res.closed) gone.abort();
  else res.once('close', () => gone.abort());
  const scope = { req, res, address: '', isSecure: false, requestId: 'r' };
  return relay.relay(scope as RequestScope, '', gone.signal);
}

test('a page whose caller hung up in the queue is neither rendered nor stored', async () => {
  const relayed = new Promise<number | null>((resolve, reject) => {
    front = createServer((req, res) => {
      res.once('close', () => {
        relayTo(req, res).then(resolve, reject);
      });
    });
  });
  await listening(front, 0, '127.0.0.1');
  const line = connect((front.address() as AddressInfo).port, '127.0.0.1');
  line.on('error', () => undefined);
  line.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n', () => setTimeout(() => line.destroy(), 50));
  expect(await relayed).toBe(0);
  expect([rendered, relay.unreadBytes]).toEqual([0, 0]);
});

test('a page whose caller hangs up is not rendered further, nor stored', async () => {
  const ended = new Promise((resolve) => {
    pages.prependListener('request', (_, res: ServerResponse) => {
      res.write('half a');
      res.once('close', () => resolve(res.writableFinished));
    });
  });
  isStopped = true;
  const relayed = new Promise<number | null>((resolve, reject) => {
    front = createServer((req, res) => void relayTo(req, res).then(resolve, reject));
  });
  await listening(front, 0, '127.0.0.1');
  const line = connect((front.address() as AddressInfo).port, '127.0.0.1');
  line.on('error', () => undefined);
  line.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  line.once('data', () => line.destroy());
  expect([await relayed, await ended, relay.unreadBytes]).toEqual([6, false, 0]);
});

test('a page process that accepts a request but never answers fails in bounded time', async () => {
  isStopped = true;
  const relayed = new Promise((resolve) => {
    front = createServer((req, res) => {
      const outcome = relayTo(req, res).catch((error: unknown) => error);
      void outcome.then(resolve).then(() => res.end());
    });
  });
  await listening(front, 0, '127.0.0.1');
  await fetch(`http://127.0.0.1:${(front.address() as AddressInfo).port}`);
  expect(await relayed).toBeInstanceOf(PageProcessFailure);
  expect(rendered).toBe(1);
});
