import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { LockDetail, LockPage } from '@/server/contract/console/lock-row';
import type { LockTimeline } from '@/server/contract/console/past/lock-timeline';
import { createUser } from '@/server/operations/users/create-user';
import { ApiHarness } from '@/test/api-harness';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import { setNamespacePolicy } from '../../operations/namespaces/set-namespace-policy';

const PASSWORD = 'plough the seventh field';

let api: ApiHarness;
let key: string;
let cookie: string;

beforeAll(async () => {
  api = await ApiHarness.start();
  key = await api.key('orders');
  await createUser(api.cli, { name: 'vera', role: 'viewer', password: PASSWORD });
  cookie = await api.signIn('vera', PASSWORD);
  const policy = { ...DEFAULT_POLICY, queueLimit: 1, stuckAfterMs: 500 };
  await setNamespacePolicy(api.cli, { name: 'default', policy, reason: 'short queues' });
});
afterAll(() => api.close());

const ask = async (name: string, owner: string, more: object = {}) => {
  const input = { name, owner, leaseMs: 60_000, ...more };
  return (await api.post(key, 'lock.acquire', input)).data?.outcome;
};
const askMany = async (names: string[], owner: string) => {
  const input = { locks: names.map((name) => ({ name })), owner, leaseMs: 60_000 };
  return (await api.post(key, 'lock.acquireMany', input)).data?.outcome;
};
const detailOf = async (name: string) => {
  const input = { namespace: 'default', name };
  const { data } = await api.console(cookie, 'locks.detail', input, 'query');
  return data as unknown as LockDetail;
};
const soon = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 15_000, interval: 100 });

test('refused attempts are counted by lock and owner, and make a long hold stuck', async () => {
  expect(await ask('polled', 'w1')).toBe('granted');
  expect(await ask('free', 'w1')).toBe('granted');
  for (const owner of ['w2', 'w3', 'w2']) expect(await ask('polled', owner)).toBe('held');
  expect(await askMany(['also free', 'polled'], 'w4')).toBe('held');
  await soon(async () => {
    const { row, refusals } = await detailOf('polled');
    expect(row).toMatchObject({
      status: 'stuck',
      stuck: { kind: 'refusals', limitMs: 500 },
      refused: { attempts: 4, owners: 3, areMore: false },
      blocked: { callers: 3 },
    });
    expect(refusals?.owners).toMatchObject([
      { service: 'orders', owner: 'w2', attempts: 2 },
      { owner: 'w4', attempts: 1 },
      { owner: 'w3', attempts: 1 },
    ]);
  });
  const timeline = { namespace: 'default', name: 'polled', spanMs: 600_000 };
  await soon(async () => {
    const { data } = await api.console(cookie, 'insights.timeline', timeline, 'query');
    const { refused } = data as unknown as LockTimeline;
    expect(refused.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(4);
    expect(refused.flatMap(({ owners }) => owners)).toContain('w2');
  });
  const free = await detailOf('free');
  expect(free.row).toMatchObject({ status: 'held', stuck: null });
  expect(free).not.toHaveProperty('refusals');
  const listed = await api.console(cookie, 'locks.list', { status: 'stuck' }, 'query');
  const { rows } = listed.data as unknown as LockPage;
  expect(rows).toMatchObject([{ name: 'polled', refused: { attempts: 4 } }]);
});

test('an attempt that finds a full queue counts as refused, one that waits does not', async () => {
  expect(await ask('full', 'w1')).toBe('granted');
  const waiting = ask('full', 'w2', { waitMs: 60_000, requestId: 'w2' });
  await soon(async () => expect((await detailOf('full')).row.waiters).toBe(1));
  expect(await ask('full', 'w3', { waitMs: 3_000 })).toBe('queueFull');
  await soon(async () => {
    const { row, refusals } = await detailOf('full');
    expect(row.refused).toMatchObject({ attempts: 1, owners: 1 });
    expect(refusals?.owners[0]?.token).toBe(row.hold?.token);
  });
  await api.post(key, 'lock.cancel', { name: 'full', owner: 'w2', requestId: 'w2' });
  await waiting;
});

const metric = async (name: string) => {
  const text = await (await fetch(new URL('/metrics', api.url))).text();
  const line = new RegExp(`^${name}\\{namespace="default",backend="default"\\} (\\d+)$`, 'm');
  return Number(line.exec(text)?.[1]);
};

test('refused attempts are in the metrics', async () => {
  expect(await metric('lockyard_attempts_refused_total')).toBeGreaterThanOrEqual(4);
});

test('tokens that a check refused are in the metrics, valid ones are not', async () => {
  const owner = { name: 'guarded', owner: 'w1' };
  const { data: hold } = await api.post(key, 'lock.acquire', { ...owner, leaseMs: 60_000 });
  const { token } = hold as { token: number };
  let before = Number.NaN;
  await soon(async () => {
    before = await metric('lockyard_tokens_refused_total');
    expect(before).toBeGreaterThanOrEqual(0);
  });
  const check = async (name: string) =>
    (await api.get(key, 'lock.check', { name, token })).data?.valid;
  expect(await check('guarded')).toBe(true);
  expect(await metric('lockyard_tokens_refused_total')).toBe(before);
  await api.post(key, 'lock.release', { ...owner, token });
  for (const name of ['guarded', 'guarded', 'never taken']) expect(await check(name)).toBe(false);
  expect(await metric('lockyard_tokens_refused_total')).toBe(before + 3);
});
