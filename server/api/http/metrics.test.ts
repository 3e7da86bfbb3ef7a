import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { ApiHarness } from '@/test/api-harness';
import { parseExposition, type ScrapedMetric } from '@/test/exposition';
import { createMetricsHandler } from './handlers/metrics-handler';
import type { RequestScope } from './requests/request-scope';

const TOKEN = 'a token that is long enough'.replaceAll(' ', '-');

let api: ApiHarness;
let key: string;

beforeAll(async () => {
  api = await ApiHarness.start();
  await api.namespace('billing');
  key = await api.key('orders', ['default', 'billing']);
});
afterAll(() => api.close());

const scrape = async () => {
  const { status, headers, text } = await api.send('/metrics');
  expect(status, text).toBe(200);
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return { text, metrics: parseExposition(text) };
};
const seriesValue = (
  metrics: Map<string, ScrapedMetric>,
  name: string,
  labels: Record<string, string>,
  part = '',
) =>
  metrics
    .get(name)
    ?.series.find(
      (each) =>
        each.name === name + part &&
        Object.entries(labels).every(([label, value]) => each.labels[label] === value),
    )?.value;
const soon = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 15_000, interval: 100 });
const take = async (name: string, more: object = {}) =>
  (await api.post(key, 'lock.acquire', { name, owner: 'w1', leaseMs: 60_000, ...more })).data;

test('lock events are counted once, by namespace and backend', async () => {
  const { token } = (await take('a')) ?? {};
  await take('a', { owner: 'w2', waitMs: 20 });
  await api.post(key, 'lock.release', { name: 'a', owner: 'w1', token });
  await take('b', { namespace: 'billing', leaseMs: 1_000 });
  await soon(async () => {
    const { metrics } = await scrape();
    const here = { namespace: 'default', backend: 'default' };
    const there = { namespace: 'billing', backend: 'default' };
    const value = (name: string, labels: Record<string, string>, part = '') =>
      seriesValue(metrics, `lockyard_${name}`, labels, part);
    expect(value('grants_total', here)).toBe(1);
    expect(value('wait_timeouts_total', here)).toBe(1);
    expect(value('forced_releases_total', here)).toBe(0);
    expect(value('lease_expiries_total', there)).toBe(1);
    expect(value('wait_seconds', here, '_count')).toBe(1);
    expect(value('hold_seconds', here, '_count')).toBe(1);
    expect(value('hold_seconds', here, '_sum')).toBeGreaterThan(0.015);
    expect(value('hold_seconds', there, '_sum')).toBe(1);
    expect(value('hold_seconds', { ...there, le: '0.064' })).toBeUndefined();
    expect(value('hold_seconds', { ...there, le: '0.064' }, '_bucket')).toBe(0);
    expect(value('hold_seconds', { ...there, le: '1.024' }, '_bucket')).toBe(1);
  });
});

test('the current state is reported by namespace and backend: held, waiting, status', async () => {
  await take('held', { namespace: 'billing' });
  const { token } = (await take('wanted', { namespace: 'billing' })) ?? {};
  const waiting = take('wanted', { namespace: 'billing', owner: 'w2', waitMs: 20_000 });
  await soon(async () => {
    const { metrics } = await scrape();
    const there = { namespace: 'billing', backend: 'default' };
    const locks = (status: string) => seriesValue(metrics, 'lockyard_locks', { ...there, status });
    expect(seriesValue(metrics, 'lockyard_locks_held', there)).toBe(2);
    expect(seriesValue(metrics, 'lockyard_waiters', there)).toBe(1);
    expect([locks('held'), locks('contended'), locks('stuck')]).toEqual([1, 1, 0]);
    expect(seriesValue(metrics, 'lockyard_backend_up', { backend: 'default' })).toBe(1);
    expect(seriesValue(metrics, 'lockyard_chores', {})).toBe(1);
  });
  const input = { namespace: 'billing', name: 'wanted', owner: 'w1', token };
  await api.post(key, 'lock.release', input);
  await waiting;
});

test('requests are counted by procedure and kind of answer, whatever the request', async () => {
  await api.get(key, 'lock.inspect', { name: 'x' });
  await api.get(key, 'lock.inspect', { name: '' });
  await api.send('/api/v1/no.such.procedure');
  await api.send('/api/v1/another%2Eone');
  await api.send('/api/trpc/backends.list');
  await api.send('/api/v1/lock.inspect,lock.inspect?batch=1&input={}');
  await api.send('/some/page');
  await soon(async () => {
    const { metrics } = await scrape();
    const count = (procedure: string, status: string, of = 'service') =>
      seriesValue(metrics, 'lockyard_http_requests_total', { api: of, procedure, status });
    expect(count('lock.inspect', '2xx')).toBe(1);
    expect(count('lock.inspect', '4xx')).toBe(1);
    expect(count('lock.inspect', '5xx')).toBe(0);
    expect(count('other', '4xx')).toBe(2);
    expect(count('batch', '4xx')).toBe(1);
    expect(count('backends.list', '4xx', 'console')).toBe(1);
    expect(count('page', '4xx', 'page')).toBe(1);
    expect(count('metrics', '2xx', 'operations')).toBeGreaterThan(0);
    const name = 'lockyard_http_request_duration_seconds';
    expect(seriesValue(metrics, name, { procedure: 'lock.inspect' }, '_count')).toBe(2);
  });
});

test('no lock, owner, service or token is exposed, whatever a request contains', async () => {
  const { token } = (await take('Telltale-lock', { owner: 'telltale-owner' })) ?? {};
  await api.send('/api/v1/telltale.procedure');
  await api.send('/telltale-page?telltale=query');
  const { text, metrics } = await scrape();
  expect(text).not.toMatch(/telltale/i);
  expect(text).not.toContain(String(token));
  expect(text).not.toContain('orders');
  const ours = [...metrics].filter(([name]) => name.startsWith('lockyard_'));
  const labels = ours.flatMap(([, { series }]) =>
    series.flatMap((each) => Object.keys(each.labels)),
  );
  expect([...new Set(labels)].sort()).toEqual([
    'api',
    'backend',
    'class',
    'job',
    'kind',
    'le',
    'level',
    'limit',
    'namespace',
    'procedure',
    'result',
    'state',
    'status',
  ]);
  expect(metrics.has('process_cpu_seconds_total')).toBe(true);
  expect(metrics.has('nodejs_eventloop_lag_p99_seconds')).toBe(true);
  expect(metrics.has('lockyard_open_streams')).toBe(true);
  expect(metrics.has('lockyard_open_watches')).toBe(true);
});

describe('without a token', () => {
  const get = (headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const { port } = new URL(api.url);
      const req = request({ host: '127.0.0.1', port, path: '/metrics', headers }, (res) => {
        res.resume();
        resolve(res.statusCode ?? 0);
      });
      req.on('error', reject).end();
    });

  test.each(['localhost', 'localhost:3000', '127.0.0.1', '[::1]:3000'])(
    'this machine may read them, as %s',
    async (host) => expect(await get({ host })).toBe(200),
  );

  test.each([
    { host: 'lockyard.example' },
    { host: '127.0.0.1.example' },
    { 'x-forwarded-for': '192.0.2.7' },
    { forwarded: 'for=192.0.2.7' },
    { via: '1.1 proxy' },
    { origin: 'https://elsewhere.example' },
    { 'sec-fetch-site': 'cross-site' },
  ])('a caller through a proxy or from another site is refused: %j', async (headers) => {
    expect(await get(headers as Record<string, string>)).toBe(403);
  });

  test.each(['192.0.2.1', '::ffff:192.0.2.1', '2001:db8::1', '', '128.0.0.1'])(
    'a caller from another machine is refused: %s',
    async (address) => {
      const req = { method: 'GET', headers: { host: 'localhost' } };
      const scope = { req, address } as unknown as RequestScope;
      const refused = expect.objectContaining({ reason: 'FORBIDDEN' });
      await expect(createMetricsHandler(api.runtime)(scope)).rejects.toEqual(refused);
    },
  );

  test('they can be read and nothing else', async () => {
    const posted = await api.send('/metrics', { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const head = await api.send('/metrics', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
  });
});

test('metrics are computed only a few times, however many callers read them together', async () => {
  let readings = 0;
  api.runtime.metrics.add(() => {
    readings += 1;
    return [];
  });
  const readers = 20;
  await Promise.all(Array.from({ length: readers }, scrape));
  expect(readings).toBeGreaterThan(0);
  expect(readings).toBeLessThanOrEqual(readers / 2);
});

describe('with a token', () => {
  let guarded: ApiHarness | null = null;
  afterEach(async () => {
    await guarded?.close();
    guarded = null;
  });

  test('only callers that send it may read them, from any machine', async () => {
    guarded = await ApiHarness.start({ LOCKYARD_METRICS_TOKEN: TOKEN });
    const get = (authorization?: string, more: object = {}) =>
      guarded?.send('/metrics', { headers: { ...(authorization && { authorization }), ...more } });
    for (const wrong of [undefined, `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN, 'Bearer ']) {
      const reply = await get(wrong);
      expect(reply).toMatchObject({ status: 401, reason: 'UNAUTHENTICATED' });
      expect(reply?.headers.get('www-authenticate')).toBe('Bearer');
      expect(reply?.text).not.toContain(TOKEN);
    }
    const reply = await get(`Bearer ${TOKEN}`, { 'x-forwarded-for': '192.0.2.7' });
    expect(reply?.status).toBe(200);
    expect(parseExposition(reply?.text ?? '').size).toBeGreaterThan(10);
  });
});
