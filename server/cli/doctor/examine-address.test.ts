import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '@/server/platform/clock';
import { examineAddress } from './examine-address';

const KEY = `lyk_${'a'.repeat(43)}`;

let server: Server;
afterEach(() => new Promise((resolve) => server.close(resolve)));

async function listen(answer: RequestListener): Promise<string> {
  server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a text that cannot be a key is a problem, and is neither sent nor printed', async () => {
  const sent: (string | undefined)[] = [];
  const url = await listen(({ headers }, res) => {
    sent.push(headers.authorization);
    res.end('{}');
  });
  for (const apiKey of [`${KEY}\nsecond line`, `${KEY}\u0000`, `${KEY}€`]) {
    const found = await examineAddress(url, apiKey, systemClock);
    expect(found.filter(({ level }) => level === 'problem')).toMatchObject([
      { says: 'the API key of the environment has characters that no key has' },
    ]);
    expect(JSON.stringify(found)).not.toContain(KEY);
  }
  expect(new Set(sent)).toEqual(new Set([undefined]));
});

test.each([
  [429, 'RATE_LIMITED', 'This key has as many watches open as it may.'],
  [503, 'BACKEND_DOWN', 'The backend "default" does not respond.'],
])(
  'a stream that is refused with %i is not taken for one that a proxy buffers',
  async (status, reason, message) => {
    const url = await listen(({ url: path }, res) => {
      res.statusCode = path === '/api/v1/lock.watch' ? status : 200;
      res.end(JSON.stringify({ error: { message, data: { reason } } }));
    });
    const found = await examineAddress(url, KEY, systemClock);
    expect(found.at(-1)).toMatchObject({
      level: 'warning',
      says: `no stream was examined: ${message}`,
    });
    expect(JSON.stringify(found)).not.toContain('buffers');
  },
);
