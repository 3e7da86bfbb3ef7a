import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshKey } from '../storage/conformance/testing/changes';
import { storeNames } from '../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../storage/record-store';
import { acquire, EngineRig, type Member, release, takeLock } from './testing/engine-rig';

const PATIENT_MS = 30_000;
const CALLERS = 24;

describe.each(storeNames)('permits of a lock, over %s', (name) => {
  let rig: EngineRig;
  let member: Member;
  let other: Member;

  beforeAll(async () => {
    rig = await EngineRig.open(name);
    member = await rig.join();
    other = await rig.join();
  });
  afterAll(() => rig.close());

  const asking = (permits: number, capacity: number) =>
    ({ mode: 'permit', permits, capacity, leaseMs: 60_000, waitMs: PATIENT_MS }) as const;

  it('never exceed its capacity at two processes, and each caller gets its own', async () => {
    const key = freshKey();
    const capacity = 5;
    const tokens = new Set<number>();
    let inUse = 0;
    const caller = async (_: unknown, i: number) => {
      const at = i % 2 === 0 ? member : other;
      const permits = (i % 3) + 1;
      const { token } = await takeLock(at, key, `caller-${i}`, asking(permits, capacity));
      inUse += permits;
      expect(inUse).toBeLessThanOrEqual(capacity);
      tokens.add(token);
      await new Promise(setImmediate);
      inUse -= permits;
      await release(at, key, `caller-${i}`, token);
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    expect(tokens.size).toBe(CALLERS);
    expect(await other.engine.run(key, { verb: 'inspect' })).toMatchObject({ state: 'free' });
  });

  it('go to those that asked first: a small request that fits overtakes no large one', async () => {
    const key = freshKey();
    const ended: string[] = [];
    const first = await takeLock(member, key, 'first', asking(1, 3));
    const wait = async (at: Member, owner: string, permits: number) => {
      const { token } = await takeLock(at, key, owner, asking(permits, 3));
      ended.push(owner);
      await release(at, key, owner, token);
    };
    const large = wait(other, 'large', 3);
    await waiting(key, 1);
    const small = wait(member, 'small', 1);
    await waiting(key, 2);
    expect(ended).toEqual([]);
    await release(member, key, 'first', first.token);
    await Promise.all([large, small]);
    expect(ended).toEqual(['large', 'small']);
  });

  it('are refused at any process, with the capacity, to callers that name another', async () => {
    const key = freshKey();
    const { token } = await takeLock(member, key, 'first', asking(1, 3));
    const refused = acquire(other, key, 'second', asking(1, 4));
    await expect(refused).rejects.toMatchObject({ reason: 'INVALID', capacity: 3 });
    await release(member, key, 'first', token);
    await takeLock(other, key, 'second', asking(4, 4));
  });

  const waiting = (key: RecordKey, callers: number) =>
    expect
      .poll(async () => (await member.engine.run(key, { verb: 'inspect' })).waiters.length)
      .toBe(callers);
});
