import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProjectionRow } from '../monitoring/projection/projection-row';
import { freshKey, stored, swapOne, update } from '../storage/conformance/testing/changes';
import { storeNames } from '../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../storage/record-store';
import { acquire, EngineRig, type Member, release, takeLock } from './testing/engine-rig';

describe.each(storeNames)('a record over %s that somebody edited by hand', (name) => {
  let rig: EngineRig;
  let member: Member;
  beforeAll(async () => {
    rig = await EngineRig.open(name);
    member = await rig.join();
  });
  afterAll(() => rig.close());

  const edits: [string, object, RegExp][] = [
    ['to a rev beyond 2^53', { rev: 2 ** 53 + 2 }, /rev/],
    ['to a text that nobody wrote', { head: '{"holder":"me"}' }, /text/],
    ['to a token beyond 2^53', { head: `[${2 ** 53},1,0,[],0,0]` }, /token/],
  ];

  it.each(edits)(
    '%s is refused by name, and costs no other record anything',
    async (_, parts, what) => {
      const [good, bad] = [freshKey('edited'), freshKey('edited')];
      const { token } = await takeLock(member, bad, 'w1');
      const seen = await stored(rig.under.store, bad);
      await swapOne(rig.under.store, update(bad, seen, parts));

      const refusal = { reason: 'UNSUPPORTED', message: expect.stringMatching(what) };
      const calls = [
        acquire(member, bad, 'w2'),
        release(member, bad, 'w1', token),
        member.engine.run(bad, { verb: 'inspect' }),
      ];
      const taken = takeLock(member, good, 'w2');
      for (const call of calls) await expect(call).rejects.toMatchObject(refusal);
      expect((await taken).outcome).toBe('granted');
      await expect(acquire(member, bad, 'w2')).rejects.toMatchObject(refusal);
      expect(await rowsOf(good, bad)).toEqual([null, expect.stringMatching(what)]);
    },
  );

  /** What the list says is wrong with each. */
  const rowsOf = async (...keys: RecordKey[]) => {
    const { records } = await rig.under.store.scan({ namespace: 'edited', after: null }, 1_000);
    const keeper = { id: 'default', publicId: 'default' };
    const rows = records.map((read) => ProjectionRow.read(keeper, read));
    return keys.map(({ name }) => rows.find(({ key }) => key.name === name)?.unreadableBecause);
  };
});
