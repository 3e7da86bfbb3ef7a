import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestClock } from '@/server/platform/testing/test-clock';
import { ApiHarness } from '@/test/api-harness';
import { CancelledRequests } from './cancelled-requests';

let api: ApiHarness;
let key: string;

beforeAll(async () => {
  api = await ApiHarness.start();
  key = await api.key('orders', ['default']);
});
afterAll(() => api.close());

const cancel = (name: string, owner: string) =>
  api.post(key, 'lock.cancel', { name, owner, requestId: 'r1' });
const acquire = (name: string, owner: string, more: object = {}) =>
  api.post(key, 'lock.acquire', { name, owner, leaseMs: 60_000, requestId: 'r1', ...more });

test.each([
  ['asks once', {}],
  ['is willing to wait', { waitMs: 10_000 }],
])('an acquire that arrives after its own cancel and %s takes nothing', async (how, more) => {
  const name = `late ${how}`;
  expect((await cancel(name, 'w1')).data).toEqual({ outcome: 'none' });
  expect((await acquire(name, 'w1', more)).data).toMatchObject({ outcome: 'timeout' });
  expect((await api.get(key, 'lock.inspect', { name })).data).toMatchObject({ state: 'free' });
  expect((await acquire(name, 'w2')).data).toMatchObject({ outcome: 'granted' });
  expect((await acquire(name, 'w1', { requestId: 'r2' })).data).toMatchObject({ outcome: 'held' });
});

test.each([
  ['asks once', {}],
  ['is willing to wait', { waitMs: 10_000 }],
])('a multi-lock that arrives after its own cancel and %s takes nothing', async (how, more) => {
  const names = ['b', 'a'].map((name) => `late multi-lock ${how} ${name}`);
  const cancelled = await api.post(key, 'lock.cancelMany', { names, owner: 'w1', requestId: 'r1' });
  expect(cancelled.data).toEqual({ outcome: 'none' });
  const acquireAll = (owner: string, requestId: string) => {
    const locks = names.map((name) => ({ name }));
    const ask = { locks, owner, leaseMs: 60_000, requestId, ...more };
    return api.post(key, 'lock.acquireMany', ask);
  };
  expect((await acquireAll('w1', 'r1')).data).toMatchObject({ outcome: 'timeout' });
  for (const name of names) {
    expect((await api.get(key, 'lock.inspect', { name })).data).toMatchObject({ state: 'free' });
  }
  expect((await acquireAll('w1', 'r2')).data).toMatchObject({ outcome: 'granted' });
});

const identity = (key: string) => ({ key, inputHash: '', remembered: true });

test('cancelled requests are forgotten after a minute, and the oldest of very many sooner', () => {
  const clock = new TestClock();
  const cancelled = new CancelledRequests(clock);
  cancelled.note(identity('a'), 'w1');
  clock.pass(60_000);
  expect(cancelled.has(identity('a'), 'w1')).toBe(true);
  expect(cancelled.has(identity('a'), 'w2')).toBe(false);
  clock.pass(1);
  expect(cancelled.has(identity('a'), 'w1')).toBe(false);
  for (let i = 0; i <= 10_000; i += 1) cancelled.note(identity(`b${i}`), 'w1');
  expect(cancelled.has(identity('b0'), 'w1')).toBe(false);
  expect(cancelled.has(identity('b1'), 'w1')).toBe(true);
});
