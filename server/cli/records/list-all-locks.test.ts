import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LockPage } from '@/server/contract/console/lock-row';
import { ApiHarness } from '@/test/api-harness';
import { parseArguments } from '../testing/parse-arguments';
import { printOf } from '../testing/print-of';
import { lockTable } from './list-all-locks';

let api: ApiHarness;
let key: string;

beforeAll(async () => {
  api = await ApiHarness.start();
  await api.namespace('jobs');
  key = await api.key('orders', ['jobs']);
});
afterAll(() => api.close());

const parse = (...words: string[]) => parseArguments(['locks', 'list', ...words]);
const run = async (...words: string[]) => (await printOf(api.runtime, await parse(...words))) ?? '';
const listed = async (...words: string[]) => JSON.parse(await run(...words, '--json'));
const take = async (name: string, owner: string, leaseMs: number) => {
  const input = { namespace: 'jobs', name, owner, leaseMs };
  return (await api.post(key, 'lock.acquire', input)).data as { token: number };
};

test('locks are listed with their holders, the most urgent first', async () => {
  const { token } = await take('import', 'w1', 60_000);
  await take('lapsed', 'w2', 1_000);
  const lapsed = { namespace: 'jobs', name: 'lapsed', state: 'expired', owner: 'w2' };
  const held = { name: 'import', state: 'held', holders: 1, owner: 'w1', service: 'orders', token };
  await expect
    .poll(() => listed('--namespace', 'jobs'), { timeout: 20_000 })
    .toMatchObject({ locks: [lapsed, { ...held, waiters: 0 }], matching: 2 });

  const [head, first, second, ...more] = (await run('--namespace', 'jobs')).split('\n');
  expect(head).toMatch(/^STATE +NAMESPACE +NAME +OWNER +TOKEN +HELD +LEASE LEFT +WAITING$/);
  expect(first).toMatch(/^expired +jobs +lapsed +w2 \(orders\) +\d+ +[\d.]+ m?s +-[\d.]+ m?s +0$/);
  const figures = String.raw`\d[\d.]* m?s +(1 m 0|\d[\d.]*) s +0$`;
  expect(second).toMatch(
    new RegExp(String.raw`^held +jobs +import +w1 \(orders\) +${token} +${figures}`),
  );
  expect(more).toEqual([]);

  expect(await listed('--attention')).toMatchObject({ locks: [lapsed], matching: 1 });
  expect(await listed('--state', 'held')).toMatchObject({ locks: [held], matching: 1 });
  expect(await listed('--search', 'w1')).toMatchObject({ locks: [held], matching: 1 });
  expect(await listed('--namespace', 'default')).toEqual({
    locks: [],
    matching: 0,
    notResponding: [],
    notConfigured: [],
  });
  expect(await run('--namespace', 'default')).toBe('');
  await expect(listed('--namespace', 'jbos')).rejects.toMatchObject({
    reason: 'NOT_FOUND',
    message: 'There is no namespace "jbos".',
  });
  const elsewhere = { ...api.runtime, engines: new Map() };
  const ask = await parse('--namespace', 'jobs');
  await expect(printOf(elsewhere, ask)).rejects.toMatchObject({ reason: 'BACKEND_DOWN' });
});

test.each([
  [['--state', 'bad'], /^--state: must be one of stuck, orphaned, expired, /],
  [['--namespace', 'a', '--namespace', 'b'], /^locks list takes one --namespace\.$/],
  [['--name', 'a'], /^locks list does not take --name\. /],
])('"locks list" with %j is refused in one line', async (words, message) => {
  await expect(parse(...words)).rejects.toThrow(message);
});

test('times are by the clock of the shard that a lock is on', () => {
  const shards = [
    { id: 'orders.a', clockOffsetMs: 0 },
    { id: 'orders.b', clockOffsetMs: 3_600_000 },
  ];
  const row = (name: string, shard: string, now: number) => ({
    ...{ namespace: 'jobs', name, backend: 'orders', shard, status: 'held', holders: 1 },
    hold: { owner: 'w1', token: 1, grantedAt: now - 5_000, expiresAt: now + 20_000 },
  });
  const page = {
    rows: [row('first', 'orders.a', 10_000), row('second', 'orders.b', 3_610_000)],
    ...{ matching: 2, asOf: 10_000 },
    backends: [{ id: 'orders', reachable: true, clockOffsetMs: 3_600_000, shards }],
  } as unknown as LockPage;
  const [, ...lines] = lockTable(page)?.split('\n') ?? [];
  for (const line of lines) expect(line).toMatch(/ 5(\.0)? s +20(\.0)? s /);
  expect(lines).toHaveLength(2);
});

test('a lock that is free shows no hold, though its record still has one', () => {
  const hold = { owner: 'w1', service: 'orders', token: 7, grantedAt: 1_000, expiresAt: 9_000 };
  const row = { namespace: 'jobs', name: 'report', backend: 'default', status: 'free', hold };
  const rows = [{ ...row, holders: 1, ended: null, waiters: 0 }];
  const page = { rows, matching: 1, asOf: 10_000, backends: [] } as unknown as LockPage;
  expect(lockTable(page)).toMatch(/\nfree +jobs +report +- +- +- +- +0$/);
});
