import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshKey } from '../storage/conformance/testing/changes';
import { storeNames } from '../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../storage/record-store';
import {
  acquire,
  EngineRig,
  eventKinds,
  type Member,
  pause,
  release,
  renew,
  takeLock,
} from './testing/engine-rig';

/** Longer than a release takes on a busy machine. */
const LEAST_MS = 3_000;
const PATIENT_MS = 20_000;

describe.concurrent.each(storeNames)('a lock held at least for a while, over %s', (name) => {
  let rig: EngineRig;
  let member: Member;
  let other: Member;

  beforeAll(async () => {
    rig = await EngineRig.open(name);
    member = await rig.join();
    other = await rig.join();
  });
  afterAll(() => rig.close());

  const take = (key: RecordKey, holdAtLeastMs: number) =>
    takeLock(member, key, 'w1', { leaseMs: 30_000, holdAtLeastMs });

  it('stays taken after its release for all, and is then granted to a waiter', async () => {
    const key = freshKey();
    const { token } = await take(key, LEAST_MS);
    const waiting = acquire(other, key, 'w2', { waitMs: PATIENT_MS });
    const released = await release(member, key, 'w1', token);
    if (released.outcome !== 'released') throw new Error(released.outcome);
    const again = { outcome: 'released', freesAt: released.freesAt };
    expect(released.freesAt).toBeGreaterThan(0);
    expect(await release(other, key, 'w1', token)).toMatchObject(again);
    expect(await renew(other, key, 'w1', token)).toMatchObject(again);
    expect(await other.engine.run(key, { verb: 'check', token })).toEqual({ valid: false });
    expect(await waiting).toMatchObject({ outcome: 'granted' });
    const { holders } = await member.engine.run(key, { verb: 'inspect' });
    expect(holders[0]?.grantedAt).toBeGreaterThanOrEqual(released.freesAt ?? 0);
    const kinds = await eventKinds(rig.under.store, key);
    expect(kinds.filter((kind) => kind !== 'queued')).toEqual(
      kinds.includes('offered')
        ? ['granted', 'kept', 'released', 'offered', 'granted']
        : ['granted', 'kept', 'released', 'granted'],
    );
  });

  it('is free once it is no longer kept, and never counts as expired', async () => {
    const key = freshKey();
    const { token } = await take(key, LEAST_MS);
    await release(member, key, 'w1', token);
    await pause(LEAST_MS + 50);
    expect(await other.engine.run(key, { verb: 'inspect' })).toMatchObject({ state: 'free' });
    expect(await eventKinds(rig.under.store, key)).toEqual(['granted', 'kept', 'released']);
  });
});
