import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshKey } from '../storage/conformance/testing/changes';
import { acquire, EngineRig, release, takeLock } from './testing/engine-rig';

let rig: EngineRig;
beforeAll(async () => {
  rig = await EngineRig.open('sqlite');
});
afterAll(() => rig.close());

it('a waiter that asks again after a restart has waited since it came first', async () => {
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
  await after.engine.run(key, { verb: 'settle' });
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
