import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshKey } from '../storage/conformance/testing/changes';
import { storeNames } from '../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../storage/record-store';
import { acquire, EngineRig, eventKinds, type Member, renew, takeLock } from './testing/engine-rig';
import { touching } from './testing/faulty-store';

const LEASE_MS = 10_000;

describe.each(storeNames)('over %s, what was reported as over', (name) => {
  let rig: EngineRig;
  let member: Member;
  let other: Member;
  beforeAll(async () => {
    rig = await EngineRig.open(name);
    member = await rig.join();
    other = await rig.join();
  });
  afterAll(() => rig.close());

  /** Sets the store's clock back for all processes, for as long as `work` takes. */
  const setBack = async (work: () => Promise<void>) => {
    for (const { faults } of [member, other]) faults.clockSetMs -= LEASE_MS + 5_000;
    await work();
    for (const { faults } of [member, other]) faults.clockSetMs += LEASE_MS + 5_000;
  };
  const look = ({ engine }: Member, key: RecordKey) => engine.run(key, { verb: 'inspect' });

  const sayings: [string, (key: RecordKey, token: number) => Promise<void>][] = [
    ['by inspect', async (key) => expect((await look(member, key)).state).toBe('expired')],
    [
      'by check',
      async (key, token) =>
        expect(await member.engine.run(key, { verb: 'check', token })).toEqual({ valid: false }),
    ],
    [
      'by a replay',
      async (key) =>
        expect(
          await acquire(member, key, 'w1', { leaseMs: LEASE_MS, requestId: 'r' }),
        ).toMatchObject({ outcome: 'ended', cause: 'expired' }),
    ],
  ];

  it.each(sayings)(
    '%s stays over for every process, even if the clock is set back',
    async (_, say) => {
      const key = freshKey();
      const { token } = await takeLock(member, key, 'w1', { leaseMs: LEASE_MS, requestId: 'r' });
      rig.letPass(LEASE_MS);
      await say(key, token);
      await setBack(async () => {
        for (const one of [member, other]) {
          expect(await renew(one, key, 'w1', token)).toMatchObject({ outcome: 'lost' });
          expect(await one.engine.run(key, { verb: 'check', token })).toEqual({ valid: false });
        }
      });
      expect(await eventKinds(rig.under.store, key)).toEqual(['granted', 'expired']);
    },
  );

  it('is answered in time if the store accepts no writes', async () => {
    const key = freshKey();
    await takeLock(member, key, 'w1', { leaseMs: LEASE_MS });
    rig.letPass(LEASE_MS);
    const concerns = touching(key);
    member.faults.onSwap = (changes) => ({ kind: concerns(changes) ? 'refuse' : 'pass' });
    const askedAt = performance.now();
    expect((await look(member, key)).state).toBe('expired');
    expect(performance.now() - askedAt).toBeLessThan(8_000);
    member.faults.onSwap = () => ({ kind: 'pass' });
  });
});
