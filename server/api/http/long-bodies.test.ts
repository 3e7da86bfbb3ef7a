import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';

let api: ApiHarness;

beforeAll(async () => {
  api = await ApiHarness.start();
});
afterAll(() => api.close());

/** The answer to a request whose body is not sent. */
function answerWithoutBody(path: string, headers: string[]): Promise<string> {
  const { host, port, origin } = new URL(api.url);
  const json = ['Content-Type: application/json', `Origin: ${origin}`, 'Connection: close'];
  const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, ...json, ...headers, '', ''];
  return new Promise((resolve, reject) => {
    let heard = '';
    const line = connect(Number(port), '127.0.0.1', () => line.write(head.join('\r\n')));
    line.setEncoding('utf8').on('data', (text) => {
      heard += text;
    });
    line.on('end', () => resolve(heard)).on('error', reject);
  });
}

test.each([
  ['lock.acquire without a key', '/api/v1/lock.acquire', []],
  ['lock.acquire with an unknown key', '/api/v1/lock.acquire', ['Authorization: Bearer nonsense']],
  ['a batch without a key', '/api/v1/lock.release,lock.release?batch=1', []],
  ['a stream without a key', '/api/v1/lock.watch', ['Accept: text/event-stream']],
  ['an act without a session', '/api/trpc/locks.freeze', ['Cookie: lockyard_session=x']],
])(
  'of %s no body over 16 KB is read, whether or not its length is declared',
  async (_, path, more) => {
    for (const length of ['Content-Length: 16385', 'Transfer-Encoding: chunked']) {
      const text = await answerWithoutBody(path, [...more, length]);
      expect(text).toMatch(/^HTTP\/1\.1 401 .*"reason":"UNAUTHENTICATED"/s);
    }
  },
);

test('a long body is read at the first call of a new key', async () => {
  const Authorization = `Bearer ${await api.key('orders')}`;
  const input = { name: 'long', owner: 'a', leaseMs: 10_000 };
  const reply = await fetch(`${api.url}/api/v1/lock.acquire`, {
    method: 'POST',
    headers: { Authorization, 'Content-Type': 'application/json' },
    body: JSON.stringify(input) + ' '.repeat(17_000),
  });
  expect(await reply.json()).toMatchObject({ result: { data: { outcome: 'granted' } } });
});

test('a body in tens of thousands of pieces is not read to its end', async () => {
  const { host, port } = new URL(api.url);
  const key = await api.key('orders');
  const head = [
    'POST /api/v1/lock.acquire HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${key}`,
  ];
  const json = ['Content-Type: application/json', 'Transfer-Encoding: chunked', '', ''];
  const answer = new Promise<string>((resolve, reject) => {
    let heard = '';
    const line = connect(Number(port), '127.0.0.1', () => {
      line.write([...head, ...json].join('\r\n'));
      line.write('1\r\n \r\n'.repeat(20_000));
    });
    line.setEncoding('utf8').on('data', (text) => {
      heard += text;
      if (heard.includes('"reason"')) resolve(heard);
    });
    line.on('error', reject);
  });
  expect(await answer).toMatch(/^HTTP\/1\.1 413 .*at most 16384 pieces.*"TOO_LARGE"/s);
});
