import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { FleetNow, LockInsight } from '@/server/contract/console/insight-row';
import { createUser } from '@/server/operations/users/create-user';
import { ApiHarness } from '@/test/api-harness';

const PASSWORD = 'plough the seventh field';

let api: ApiHarness;
let key: string;
let cookie: string;

beforeAll(async () => {
  api = await ApiHarness.start();
  key = await api.key('orders');
  await createUser(api.cli, { name: 'vera', role: 'viewer', password: PASSWORD });
  cookie = await api.signIn('vera', PASSWORD);
});
afterAll(() => api.close());

const take = async (name: string, more: object = {}) =>
  (await api.post(key, 'lock.acquire', { name, owner: 'w1', leaseMs: 60_000, ...more })).data;
const giveBack = (name: string, token: unknown) =>
  api.post(key, 'lock.release', { name, owner: 'w1', token });
const insight = (input: object, by: string | null = cookie) =>
  api.console(by, 'insights.lock', input, 'query');
const soon = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 10_000, interval: 100 });

test('what happens to a lock is in its charts within seconds, in every range', async () => {
  const { token } = (await take('seen')) ?? {};
  await api.post(key, 'lock.acquire', { name: 'seen', owner: 'w2', leaseMs: 1_000, waitMs: 30 });
  await giveBack('seen', token);
  for (const range of ['1h', '24h', '7d', '30d'] as const) {
    await soon(async () => {
      const { data } = await insight({ namespace: 'default', name: 'seen', range });
      const { total, points, waits, holds, ownHold, stepMs } = data as unknown as LockInsight;
      expect(total).toMatchObject({ grants: 1, timeouts: 1, expiries: 0, forced: 0, waitP50Ms: 0 });
      expect(points.reduce((sum, { grants }) => sum + grants, 0)).toBe(1);
      expect((points[1]?.at ?? 0) - (points[0]?.at ?? 0)).toBe(stepMs);
      expect(waits).toEqual([{ fromMs: 0, toMs: 1, count: 1 }]);
      expect(holds).toHaveLength(1);
      expect(total.holdP50Ms).toBeGreaterThanOrEqual(29);
      expect(ownHold).toBeNull();
    });
  }
});

test('a lock that was never used has empty charts, an unknown namespace none', async () => {
  const { data } = await insight({ namespace: 'default', name: 'never' });
  expect(data).toMatchObject({ range: '1h', stepMs: 60_000, waits: [], holds: [], ownHold: null });
  expect(data?.points).toHaveLength(60);
  const nowhere = await insight({ namespace: 'nowhere', name: 'x' });
  expect(nowhere).toMatchObject({ status: 404, reason: 'NOT_FOUND' });
});

test('charts need a session and an existing range', async () => {
  const input = { namespace: 'default', name: 'seen' };
  expect(await insight(input, null)).toMatchObject({ status: 401, reason: 'UNAUTHENTICATED' });
  expect(await insight({ ...input, range: '2h' })).toMatchObject({ status: 400 });
  const fleet = await api.console(null, 'insights.fleet', undefined, 'query');
  expect(fleet).toMatchObject({ status: 401, reason: 'UNAUTHENTICATED' });
});

test('all locks together: holders and waiters now, the last minute and the last hour', async () => {
  const { token } = (await take('busy')) ?? {};
  const waiting = take('busy', { owner: 'w2', waitMs: 20_000 });
  await soon(async () => {
    const { data } = await api.console(cookie, 'insights.fleet', undefined, 'query');
    const {
      counts,
      held,
      waiting: queued,
      grantsPerSecond,
      hour,
      minutes,
    } = data as unknown as FleetNow;
    expect({ held, queued, contended: counts.contended }).toEqual({
      held: 1,
      queued: 1,
      contended: 1,
    });
    expect(grantsPerSecond).toBeGreaterThan(0);
    expect(hour.grants).toBeGreaterThanOrEqual(2);
    expect(minutes).toHaveLength(60);
    expect(minutes.reduce((sum, { grants }) => sum + grants, 0)).toBe(hour.grants);
  });
  await giveBack('busy', token);
  const { token: next } = (await waiting) ?? {};
  await api.post(key, 'lock.release', { name: 'busy', owner: 'w2', token: next });
});
