import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND_BUDGET_MS } from '../core/timing';
import { freshKey } from '../storage/conformance/testing/changes';
import { acquire, EngineRig, type Member } from './testing/engine-rig';
import { PASS, touching } from './testing/faulty-store';

describe('commands on one lock while its store fails', () => {
  let rig: EngineRig;
  let member: Member;
  beforeAll(async () => {
    rig = await EngineRig.open('sqlite');
    member = await rig.join();
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
      await expect.poll(() => failures).toBeGreaterThan(0);
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
});
