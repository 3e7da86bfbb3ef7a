import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshKey } from '../storage/conformance/testing/changes';
import { storeNames } from '../storage/conformance/testing/stores-under-test';
import { EngineRig, eventKinds, type Member, pause, renew, takeLock } from './testing/engine-rig';
import { firstFates, touching } from './testing/faulty-store';

describe.each(storeNames)('an engine whose commits over %s are slow', (name) => {
  let rig: EngineRig;
  let member: Member;
  beforeAll(async () => {
    rig = await EngineRig.open(name);
    member = await rig.join();
  });
  afterAll(() => rig.close());

  it('subtracts the wait for a commit from the lease once', async () => {
    const key = freshKey();
    const { token } = await takeLock(member, key, 'w1');
    const release = await rig.under.stallRow(key);
    const askedAt = performance.now();
    const renewing = renew(member, key, 'w1', token, 12_000);
    await pause(1_100);
    await release();
    const answer = await renewing;
    const tookMs = performance.now() - askedAt;
    expect(tookMs).toBeGreaterThan(1_000);
    if (answer.outcome !== 'renewed') throw new Error(`Expected a renewal, got ${answer.outcome}.`);
    expect(answer.expiresInMs).toBeGreaterThan(12_000 - tookMs - 500);
    expect(answer.expiresInMs).toBeLessThanOrEqual(12_000 - 1_000);
  });

  it('answers lost, and never renewed, where the lease was over when its renewal was confirmed', async () => {
    const key = freshKey();
    const { token } = await takeLock(member, key, 'w1', { leaseMs: 300 });
    member.faults.onSwap = firstFates(touching(key), { kind: 'pass', afterMs: 600 });
    expect(await renew(member, key, 'w1', token, 300)).toMatchObject({
      outcome: 'lost',
      cause: 'expired',
    });
    expect(await eventKinds(rig.under.store, key)).toEqual(['granted', 'renewed', 'expired']);
  });
});
