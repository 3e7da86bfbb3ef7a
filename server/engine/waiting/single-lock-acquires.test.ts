import { expect, test } from 'vitest';
import { DETACHED_MS } from '../../core/timing';
import { freshKey } from '../../storage/conformance/testing/changes';
import { acquire, EngineRig, pause, release, takeLock } from '../testing/engine-rig';
import { firstFates, touching } from '../testing/faulty-store';
import { untilQueued } from '../testing/observed-calls';

test('a grant made just before its wait ends is kept briefly if its caller hung up', async () => {
  const rig = await EngineRig.open('sqlite');
  const member = await rig.join();
  const key = freshKey();
  const waitMs = 500;
  const { token } = await takeLock(member, key, 'w1');
  const line = new AbortController();
  const wait = { signal: line.signal, hangUpNoticed: async () => line.abort() };
  const parts = { waitMs, leaseMs: 60_000, requestId: 'r', wait };
  const waiting = acquire(member, key, 'w2', parts);
  await untilQueued(member, key, 1);
  // The wait ends before this process learns of the grant.
  const late = { kind: 'pass', last: () => pause(waitMs) } as const;
  member.faults.onSwap = firstFates(touching(key), late);
  await release(member, key, 'w1', token);
  await waiting;
  // There is none if the machine was so slow that the wait ended first.
  const { holders } = await member.engine.run(key, { verb: 'inspect' });
  for (const { expiresInMs } of holders) expect(expiresInMs).toBeLessThanOrEqual(DETACHED_MS);
  await rig.close();
});
