import { request, type Server } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';
import { createHttpHandlers } from './http-handlers';
import { createHttpServer, listen } from './http-server';

let api: ApiHarness;
let server: Server;
let url: string;

beforeAll(async () => {
  api = await ApiHarness.start();
  const handlers = createHttpHandlers(api.runtime, async ({ res }) => {
    res.setHeader('Content-Type', 'text/html');
    res.end('<p>a page</p>');
  });
  server = createHttpServer(handlers);
  url = await listen(server, 0, '127.0.0.1');
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await api.close();
});

test('a page comes with its headers and a policy whose nonce is new each time', async () => {
  const policies = await Promise.all(
    [1, 2].map(async () => {
      const { headers, status } = await fetch(`${url}/locks`);
      expect(status).toBe(200);
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'x-frame-options': 'DENY',
        'x-request-id': expect.stringMatching(/^[\w-]{16}$/),
      });
      return headers.get('content-security-policy') ?? '';
    }),
  );
  const [first = '', second = ''] = policies;
  for (const directive of ["object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]) {
    expect(first).toContain(directive);
  }
  const script = first.split('; ').find((directive) => directive.startsWith('script-src'));
  expect(script).toMatch(/^script-src 'self' 'nonce-[\w+/=]{24}' 'strict-dynamic'$/);
  expect(first).not.toBe(second);
});

test.each(['POST', 'PUT', 'DELETE'])('a page cannot be sent a %s', async (method) => {
  const reply = await fetch(url, { method, body: 'x' });
  expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('a caller that does not read its live stream is disconnected, which is counted', async () => {
  const handlers = createHttpHandlers(api.runtime, async ({ res }) => {
    res.setHeader('Content-Type', 'text/event-stream');
    res.write(Buffer.alloc(24 * 1024 * 1024));
  });
  const deaf = createHttpServer(handlers);
  const { hostname, port } = new URL(await listen(deaf, 0, '127.0.0.1'));
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  for (let waitedMs = 0; handlers.unread.closed === 0 && waitedMs < 30_000; waitedMs += 50) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(handlers.unread.closed).toBe(1);
  socket.destroy();
  await new Promise((resolve) => deaf.close(resolve));
});

test('without the demo its link is not found', async () => {
  const reply = await fetch(`${url}/demo?token=x`, { redirect: 'manual' });
  expect(reply.status).toBe(200);
  expect(reply.headers.get('set-cookie')).toBeNull();
});

test('malformed percent-encoding is refused', async () => {
  expect(await statusOf('/%zz')).toBe(400);
  expect(await statusOf('/%E0%A4%A')).toBe(400);
});

test('an address with very many parameters is refused unread', async () => {
  expect(await statusOf(`/locks?${'a&'.repeat(98)}a`)).toBe(200);
  expect(await statusOf(`/locks?${'a&'.repeat(30_000)}a`)).toBe(400);
});

test('an absolute address is refused', async () => {
  expect(await statusOf('http://elsewhere/x')).toBe(400);
});

/** Of a path as written: `fetch` would repair it. */
function statusOf(path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const call = request({ hostname, port, path }, (res) => {
      res.resume();
      resolve(res.statusCode);
    });
    call.on('error', reject);
    call.end();
  });
}
