import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANSWER_RETENTION_MS } from '../../core/timing';
import { freshKey } from '../../storage/conformance/testing/changes';
import type { RecordKey } from '../../storage/record-store';
import { contended, unknownOutcome } from '../refusals';
import { acquire, EngineRig, type Member, takeLock } from '../testing/engine-rig';
import { type Fate, PASS, touching } from '../testing/faulty-store';
import { acquireMultiLock } from '../testing/multi-lock-calls';
import { UnreceivedGrants } from './unreceived-grants';

let rig: EngineRig;
let member: Member;
let other: Member;

beforeAll(async () => {
  rig = await EngineRig.open('sqlite');
  member = await rig.join();
  other = await rig.join();
});
afterAll(() => rig.close());

const hungUp = { wait: { hasHungUp: () => true } };

describe.each<[string, (keys: RecordKey[]) => Promise<unknown>]>([
  ['a lock', ([key]) => acquire(member, key as RecordKey, 'w1', hungUp)],
  ['several locks', (keys) => acquireMultiLock(member, keys, 'w1', hungUp)],
])('a grant of %s whose caller has hung up and cannot ask again', (_, ask) => {
  const inspect = (key: RecordKey, by = other) => by.engine.run(key, { verb: 'inspect' });

  /** Asks; `undoing` meets the first attempt to undo the grant, too late for another. */
  const askInVain = (keys: RecordKey[], granted: Fate, undoing: Fate) => {
    let swaps = 0;
    member.faults.onSwap = (changes) => {
      if (!touching(keys[0] as RecordKey)(changes)) return PASS;
      swaps += 1;
      if (swaps === 2) member.later(4_000);
      return [granted, undoing][swaps - 1] ?? PASS;
    };
    return ask(keys);
  };

  it('is undone later where the first attempt to undo it was lost', async () => {
    const keys = [freshKey(), freshKey()];
    await askInVain(keys, PASS, { kind: 'loseRequest' });
    for (const key of keys) await expect.poll(async () => (await inspect(key)).state).toBe('free');
  });

  it('is undone once where only the answer to the first attempt was lost', async () => {
    const keys = [freshKey(), freshKey(), freshKey()];
    const reentered = keys.slice(0, 2);
    const enter = (key: RecordKey) => takeLock(other, key, 'w1', { reentrant: true });
    const last = () => Promise.all(reentered.map(enter));
    let reads = 0;
    member.faults.onRead = (read) => {
      if (read.some(({ name }) => name === keys[0]?.name)) reads += 1;
      return PASS;
    };
    await askInVain(keys, { kind: 'pass', last }, { kind: 'loseReply' });
    const readsBefore = reads;
    await expect.poll(() => reads).toBeGreaterThan(readsBefore);
    for (const key of reentered) {
      expect((await inspect(key, member)).holders).toMatchObject([{ owner: 'w1', holdCount: 1 }]);
    }
    expect(await inspect(keys[2] as RecordKey)).toMatchObject({ state: 'free' });
  });
});

describe('while a process cannot reach its store, a revert that', () => {
  const repeatAfter = async (laterMs: number, failure: Error) => {
    let now = 0;
    let attempts = 0;
    const run = () => {
      attempts += 1;
      return Promise.reject(failure);
    };
    const grants = new UnreceivedGrants({ run, submitMultiLock: run }, () => now);
    await grants.undo(() => grants.revertOnce(freshKey(), { token: 1, rev: 1 }));
    now += laterMs;
    grants.repeatFailed();
    return attempts;
  };

  it('may have been applied is not repeated once its stored answer may have expired', async () => {
    expect(await repeatAfter(1_000, unknownOutcome(null))).toBe(2);
    expect(await repeatAfter(ANSWER_RETENTION_MS, unknownOutcome(null))).toBe(1);
  });

  it('was not applied is repeated however late', async () => {
    expect(await repeatAfter(ANSWER_RETENTION_MS, contended())).toBe(2);
  });
});
