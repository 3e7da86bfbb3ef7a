import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freshKey } from '../storage/conformance/testing/changes';
import { type RecordKey, StoreError } from '../storage/record-store';
import { createEngine } from './create-engine';
import { OWN_NAMESPACE } from './membership';
import { acquire, EngineRig, type Member, release, renew, takeLock } from './testing/engine-rig';
import { PASS } from './testing/faulty-store';
import { acquireMultiLock } from './testing/multi-lock-calls';
import { reasonOf } from './testing/observed-calls';

const MESSAGE = 'undefined is not a function';

describe('a programming error', () => {
  let rig: EngineRig;
  let member: Member;
  let key: RecordKey;
  beforeEach(async () => {
    rig = await EngineRig.open('sqlite');
    member = await rig.join();
    key = freshKey();
  });
  afterEach(() => rig.close());

  const fail = (): never => {
    throw new TypeError(MESSAGE);
  };
  /** Lets the swaps of locks and counters fail, but not the heartbeats. */
  const failSwaps = () => {
    member.faults.onSwap = (changes) =>
      changes.some((change) => change.key.namespace === OWN_NAMESPACE) ? PASS : fail();
  };
  const reports = expect.stringMatching(new RegExp(`${MESSAGE}$`));

  it('in a swap is reported, and is not taken for a backend that does not respond', async () => {
    const { token } = await takeLock(member, key, 'w1');
    failSwaps();
    const releasing = reasonOf(release(member, key, 'w1', token));
    const renewing = reasonOf(renew(member, key, 'another', token));
    expect([await releasing, await renewing]).toEqual(['UNKNOWN', 'INTERNAL']);
    expect(rig.faults).toEqual([reports, reports]);
  });

  it('in the swap of a multi-lock is reported', async () => {
    failSwaps();
    const asked = acquireMultiLock(member, [key, freshKey()], 'w1');
    expect(await reasonOf(asked)).toBe('UNKNOWN');
    expect(rig.faults).toEqual([reports]);
  });

  it('in a store is reported too', async () => {
    const { token } = await takeLock(member, key, 'w1');
    const cause = new TypeError(MESSAGE);
    member.faults.onRead = (keys) => {
      if (keys[0]?.namespace === OWN_NAMESPACE) return PASS;
      throw new StoreError('The SQLite file did not answer.', 'no', { cause });
    };
    const asked = reasonOf(member.engine.run(key, { verb: 'check', token }));
    setTimeout(() => member.later(4_000), 100);
    expect(await asked).toBe('BACKEND_DOWN');
    expect(rig.faults).toEqual([reports]);
  });

  it('in heartbeats is reported once', async () => {
    member.faults.onScan = fail;
    await expect.poll(() => member.engine.health().reachable, { timeout: 5_000 }).toBe(false);
    expect(rig.faults).toEqual([reports]);
  });

  it('after a swap does not deny that it was applied', async () => {
    const names = { creating: () => {}, finished: fail };
    const engine = await createEngine({ ...rig.optionsOver(member.faults), names });
    expect(await reasonOf(acquire({ engine }, key, 'w1'))).toBe('UNKNOWN');
    expect(await member.engine.run(key, { verb: 'inspect' })).toMatchObject({ state: 'held' });
    expect(rig.faults).toEqual([reports]);
    await engine.close();
  });
});
