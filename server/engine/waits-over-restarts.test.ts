import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshKey } from '../storage/conformance/testing/changes';
import { acquire, EngineRig, release, takeLock } from './testing/engine-rig';
import { acquireMultiLock } from './testing/multi-lock-calls';

let rig: EngineRig;
beforeAll(async () => {
  rig = await EngineRig.open('sqlite');
});
afterAll(() => rig.close());

it('a waiter that asks again after a restart has waited since its first request', async () => {
  const key = freshKey();
  const before = await rig.join();
  const { token } = await takeLock(before, key, 'w1', { leaseMs: 600_000 });
  const parts = { waitMs: 60_000, requestId: 'r' };
  const waiting = acquire(before, key, 'w2', parts);
  const waiters = async () => (await before.engine.run(key, { verb: 'inspect' })).waiters.length;
  await expect.poll(waiters).toBe(1);
  rig.passMs(5_000);
  await before.engine.drain();
  expect(await waiting).toMatchObject({ outcome: 'queued' });

  rig.passMs(9_000);
  const after = await rig.join();
  await after.engine.run(key, { verb: 'expireAndPromote' });
  expect((await after.engine.run(key, { verb: 'inspect' })).waiters).toEqual([]);
  const again = acquire(after, key, 'w2', parts);
  await expect
    .poll(async () => (await after.engine.run(key, { verb: 'inspect' })).waiters.length)
    .toBe(1);
  await release(after, key, 'w1', token);
  const granted = await again;
  if (granted.outcome !== 'granted') throw new Error(granted.outcome);
  expect(granted.waitedMs).toBeGreaterThanOrEqual(14_000);
});

it('after a kill, waiters have waited since their first request, multi-locks too', async () => {
  const [key, other] = [freshKey(), freshKey()];
  const before = await rig.join();
  const { token } = await takeLock(before, key, 'w0', { leaseMs: 600_000 });
  const waitMs = 60_000;
  const callAll = (member: typeof before) => [
    ...['w1', 'w2', 'w3'].map((requestId) =>
      acquire(member, key, requestId, { waitMs, requestId }),
    ),
    acquireMultiLock(member, [key, other], 'both', { waitMs, requestId: 'both' }),
  ];
  const queuedAt = async ({ engine }: typeof before) =>
    (await engine.run(key, { verb: 'inspect' })).waiters.map(({ enqueuedAt }) => enqueuedAt);
  for (const call of callAll(before)) call.catch(() => undefined);
  await expect.poll(async () => (await queuedAt(before)).length).toBe(4);
  const first = await queuedAt(before);
  before.faults.goAway();

  rig.passMs(9_000);
  const after = await rig.join();
  await after.engine.run(key, { verb: 'expireAndPromote' });
  expect(await queuedAt(after)).toEqual([]);
  const calls = callAll(after);
  await expect.poll(async () => (await queuedAt(after)).length).toBe(4);
  expect((await queuedAt(after)).sort()).toEqual(first.sort());
  await after.engine.drain();
  for (const { outcome } of await Promise.all(calls)) expect(outcome).toBe('queued');
  await release(after, key, 'w0', token);
});

it('a waiter learns at a shutdown what is left of its wait, with or without an id', async () => {
  const key = freshKey();
  const member = await rig.join();
  await takeLock(member, key, 'w1', { leaseMs: 600_000 });
  const parts = { waitMs: 20_000 };
  const twice = { ...parts, requestId: 'r' };
  const answers = Promise.all([
    acquire(member, key, 'w2', parts),
    acquire(member, key, 'w3', twice),
    acquire(member, key, 'w3', twice),
    acquireMultiLock(member, [key, freshKey()], 'w4', parts),
  ]);
  answers.catch(() => undefined);
  const waiters = async () => (await member.engine.run(key, { verb: 'inspect' })).waiters.length;
  await expect.poll(waiters).toBe(3);
  rig.passMs(5_000);
  await member.engine.drain();
  for (const answer of await answers) {
    if (answer.outcome !== 'queued') throw new Error(answer.outcome);
    expect(answer.patienceLeftMs).toBeLessThanOrEqual(15_000);
  }
});
