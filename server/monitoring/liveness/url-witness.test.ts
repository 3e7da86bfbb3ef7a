import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storedBySignal } from '../../platform/testing/stored-by-signal';
import { askUrl, witnessUrl } from './url-witness';

describe('the URL that is asked', () => {
  const template = 'https://k8s.internal/pods/{pod}?run={ciRun}';

  test('has the values of the hold, percent-encoded', () => {
    const meta = { pod: 'a/b?c#d', ciRun: '7&x=ü' };
    const url = 'https://k8s.internal/pods/a%2Fb%3Fc%23d?run=7%26x%3D%C3%BC';
    expect(witnessUrl(template, meta)).toBe(url);
  });

  test('is not asked if a value is missing, or would lead elsewhere', () => {
    expect(witnessUrl(template, { pod: 'a' })).toBeNull();
    expect(witnessUrl(template, { pod: 'a', ciRun: '' })).toBeNull();
    for (const pod of ['.', '..']) expect(witnessUrl(template, { pod, ciRun: '7' })).toBeNull();
    const absolute = witnessUrl(template, { pod: 'https://evil.example/', ciRun: '7' });
    expect(absolute).toMatch(/^https:\/\/k8s\.internal\/pods\/https%3A/);
  });
});

describe('what a URL answers', () => {
  let server: Server;
  let url: string;
  let answer: RequestListener;
  let asked = 0;

  beforeAll(async () => {
    server = createServer((req, res) => {
      asked += 1;
      answer(req, res);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pods/a`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const says = (body: unknown) => {
    answer = (_, res) => void res.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  const going = new AbortController().signal;
  const ask = () => askUrl(url, { authorization: null }, going);

  test('is the state, since when, and the evidence in one short line', async () => {
    says({
      state: 'dead',
      since: '2026-11-21T02:41:00Z',
      evidence: `pod\n\tdeleted${'!'.repeat(300)}`,
    });
    const { evidence, ...rest } = await ask();
    expect(rest).toEqual({ state: 'dead', since: Date.parse('2026-11-21T02:41:00Z') });
    expect(evidence).toMatch(/^pod deleted!+$/);
    expect(evidence.length).toBe(200);
    says({ state: 'alive', since: 1_800_000_000_000 });
    expect(await ask()).toEqual({
      state: 'alive',
      since: 1_800_000_000_000,
      evidence: 'says alive',
    });
  });

  test.each<[string, unknown]>([
    ['no JSON', 'dead'],
    ['no state', { dead: true }],
    ['another state', { state: 'DEAD' }],
    ['a list', ['dead']],
    ['more than is read', { evidence: 'x'.repeat(5_000), state: 'dead' }],
  ])('is unknown, and never dead, if it is %s', async (_, body) => {
    says(body);
    expect(await ask()).toMatchObject({ state: 'unknown' });
  });

  test('leaves nothing in memory until the server ends', async () => {
    says({ state: 'alive' });
    const ending = new AbortController().signal;
    for (let i = 0; i < 3; i += 1) await askUrl(url, { authorization: null }, ending);
    expect(storedBySignal(ending)).toBe(0);
  });

  test('is unknown if it redirects, and is not followed', async () => {
    answer = (_, res) => void res.writeHead(302, { location: `${url}/elsewhere` }).end();
    asked = 0;
    expect(await ask()).toMatchObject({ state: 'unknown', evidence: 'answered with status 302' });
    expect(asked).toBe(1);
    answer = (_, res) => void res.writeHead(404).end(JSON.stringify({ state: 'dead' }));
    expect(await ask()).toMatchObject({ state: 'unknown' });
  });

  test('is unknown after 2 s, even if it keeps sending bytes', async () => {
    answer = (_, res) => {
      const drip = setInterval(() => res.write(' '), 100);
      res.on('close', () => clearInterval(drip));
    };
    expect(await ask()).toMatchObject({ state: 'unknown', evidence: 'no answer within 2 s' });
    const away = await askUrl('http://127.0.0.1:1/', { authorization: null }, going);
    expect(away).toMatchObject({ state: 'unknown', evidence: 'cannot be reached' });
  });

  test('is asked for with the password of the configuration', async () => {
    let sent: string | undefined;
    answer = (req, res) => {
      sent = req.headers.authorization;
      res.end('{}');
    };
    await askUrl(url, { authorization: 'Basic YTpi' }, going);
    expect(sent).toBe('Basic YTpi');
  });
});
