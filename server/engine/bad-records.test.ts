import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProjectionRow } from '../monitoring/projection/projection-row';
import { freshKey, stored, swapOne, update } from '../storage/conformance/testing/changes';
import { storeNames } from '../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../storage/record-store';
import { acquire, EngineRig, type Member, release, takeLock } from './testing/engine-rig';
import { acquireMultiLock } from './testing/multi-lock-calls';

describe.each(storeNames)('a record over %s that was edited by hand', (name) => {
  let rig: EngineRig;
  let member: Member;
  beforeAll(async () => {
    rig = await EngineRig.open(name);
    member = await rig.join();
  });
  afterAll(() => rig.close());

  const edits: [string, object, RegExp][] = [
    ['to a rev beyond 2^53', { rev: 2 ** 53 + 2 }, /rev/],
    ['to a text that no process wrote', { head: '{"holder":"me"}' }, /text/],
    ['to a token beyond 2^53', { head: `[${2 ** 53},1,0,[],0,0]` }, /token/],
  ];

  it.each(edits)('%s is refused by name, and affects no other record', async (_, parts, what) => {
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
  });

  it('so that exclusive holds share it is valid again once all but one are released', async () => {
    const bad = freshKey('edited');
    const shared = { mode: 'shared', leaseMs: 600_000 } as const;
    const first = await takeLock(member, bad, 'w1', shared);
    const second = await takeLock(member, bad, 'w2', shared);
    await takeLock(member, bad, 'w3', shared);
    const seen = await stored(rig.under.store, bad);
    const [lastToken, lastTicket, served, holds, ...rest] = JSON.parse(seen.head);
    const exclusive = holds.map((hold: unknown[]) => hold.with(14, 0));
    const head = JSON.stringify([lastToken, lastTicket, served, exclusive, ...rest]);
    await swapOne(rig.under.store, update(bad, seen, { head }));

    const released = { outcome: 'released' };
    expect(await release(member, bad, 'w1', first.token)).toMatchObject(released);
    expect(await release(member, bad, 'w2', second.token)).toMatchObject(released);
    expect(rig.faults).toEqual([]);
    expect(await acquire(member, bad, 'w4')).toMatchObject({ outcome: 'held' });
  });

  it('so that an earlier token was above the last one makes a multi-lock fail', async () => {
    const [bad, other] = [freshKey('edited'), freshKey('edited')];
    await release(member, bad, 'w1', (await takeLock(member, bad, 'w1')).token);
    const seen = await stored(rig.under.store, bad);
    const [lastToken, lastTicket, served, holds, ended, ...rest] = JSON.parse(seen.head);
    const above = [lastToken, lastTicket, served, holds, ended.with(0, -7), ...rest];
    await swapOne(rig.under.store, update(bad, seen, { head: JSON.stringify(above) }));
    rig.faults.length = 0;
    const asked = acquireMultiLock(member, [bad, other], 'w2', { waitMs: 1_000 });
    await expect(asked).rejects.toMatchObject({ reason: 'INTERNAL' });
    expect(rig.faults).toEqual([
      expect.stringMatching(new RegExp(`${bad.name}.*: a new hold has a new token.$`)),
    ]);
  });

  /** What the list says is wrong with each. */
  const rowsOf = async (...keys: RecordKey[]) => {
    const { records } = await rig.under.store.scan({ namespace: 'edited', after: null }, 1_000);
    const keeper = { id: 'default', publicId: 'default' };
    const rows = records.map((read) => ProjectionRow.read(keeper, read));
    return keys.map(({ name }) => rows.find(({ key }) => key.name === name)?.unreadableBecause);
  };
});
