import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND_BUDGET_MS } from '../core/timing';
import { freshKey } from '../storage/conformance/testing/changes';
import { acquire, EngineRig, eventKinds, type Member, renew } from './testing/engine-rig';
import { type Fate, PASS, touching } from './testing/faulty-store';
import { reasonOf } from './testing/observed-calls';

const SOON = { timeout: 10_000 };

describe('commands on one lock while its store fails', () => {
  let rig: EngineRig;
  let member: Member;
  beforeAll(async () => {
    rig = await EngineRig.open('sqlite');
    member = await rig.joinStopped();
  });
  afterAll(() => rig.close());

  const refused = { reason: 'BACKEND_DOWN' };

  it.each(['reads', 'writes'] as const)(
    'each have their own time: one that is nearly out of it takes none from the others (%s fail)',
    async (what) => {
      const key = freshKey();
      let isFailing = true;
      let failures = 0;
      const fateIf = (isIts: boolean) => {
        if (!isIts || !isFailing) return PASS;
        failures += 1;
        return { kind: 'refuse' } as const;
      };
      const names = ({ name }: typeof key) => name === key.name;
      if (what === 'reads') member.faults.onRead = (keys) => fateIf(keys.some(names));
      else member.faults.onSwap = (changes) => fateIf(touching(key)(changes));
      const ask = (owner: string) => {
        const asked = acquire(member, key, owner);
        return asked.then(({ outcome }) => ({ outcome })).catch(({ reason }) => ({ reason }));
      };

      const first = ask('w1');
      await expect.poll(() => failures, SOON).toBeGreaterThan(0);
      // These share the next commit.
      const second = ask('w2');
      const leftMs = 500;
      member.later(COMMAND_BUDGET_MS - leftMs);
      const third = ask('w3');
      member.later(leftMs);
      expect(await first).toEqual(refused);
      expect(await second).toEqual(refused);
      isFailing = false;
      expect(await third).toEqual({ outcome: 'granted' });
    },
  );

  it('leave no grant that came too late, though it could not be reverted in time', async () => {
    const key = freshKey();
    const other = await rig.join();
    // Its lease lasts, so that only a revert ends it.
    const last = async () => {
      const { holders } = await other.engine.run(key, { verb: 'inspect' });
      await renew(other, key, 'w1', holders[0]?.token ?? 0, 60_000);
      member.later(2_800);
    };
    let swaps = 0;
    member.faults.onSwap = (changes): Fate => {
      if (!touching(key)(changes)) return PASS;
      swaps += 1;
      if (swaps === 1) return { kind: 'pass', last };
      member.later(1_000);
      return { kind: 'refuse' };
    };
    expect(await reasonOf(acquire(member, key, 'w1', { leaseMs: 3_000 }))).toBe('UNKNOWN');
    member.faults.onSwap = () => PASS;
    const kinds = () => eventKinds(rig.under.store, key);
    await expect.poll(kinds, SOON).toEqual(['granted', 'renewed', 'late']);
  });
});
