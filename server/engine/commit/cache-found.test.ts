import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshKey } from '../../storage/conformance/testing/changes';
import { can, storeNames } from '../../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../../storage/record-store';
import {
  acquire,
  EngineRig,
  eventKinds,
  type Member,
  release,
  takeLock,
} from '../testing/engine-rig';
import { PASS, touching } from '../testing/faulty-store';
import { untilQueued } from '../testing/observed-calls';

/** Those that answer a change that was not applied with the record that is there. */
const telling = storeNames.filter((name) => can(name, 'manyProcesses') && can(name, 'readsClock'));

describe.each(telling)('a command that meets a change of another process over %s', (name) => {
  let rig: EngineRig;
  let here: Member;
  let there: Member;

  beforeAll(async () => {
    rig = await EngineRig.open(name);
    here = await rig.join();
    there = await rig.join();
  });
  afterAll(() => rig.close());

  /** What this process asks of the store about a record from now on. */
  const callsAbout = (key: RecordKey, { faults }: Member) => {
    const calls = { reads: 0, swaps: 0 };
    faults.onRead = (keys) => {
      calls.reads += keys.some((one) => one.name === key.name) ? 1 : 0;
      return PASS;
    };
    faults.onSwap = (changes) => {
      calls.swaps += touching(key)(changes) ? 1 : 0;
      return PASS;
    };
    return calls;
  };

  const cycle = async (member: Member, key: RecordKey, owner: string) => {
    const { token } = await takeLock(member, key, owner);
    await release(member, key, owner, token);
    return token;
  };

  it('is decided again from what the swap found, without a read', async () => {
    const key = freshKey();
    await cycle(here, key, 'w1');
    const before = await cycle(there, key, 'w2');
    const calls = callsAbout(key, here);
    const { token } = await takeLock(here, key, 'w3');
    expect(token).toBeGreaterThan(before);
    expect(calls).toEqual({ reads: 0, swaps: 2 });
    await release(here, key, 'w3', token);
    const ofCycle = ['granted', 'released'];
    expect(await eventKinds(rig.under.store, key)).toEqual([...ofCycle, ...ofCycle, ...ofCycle]);
  });

  it('is refused by a hold only once that was read', async () => {
    const key = freshKey();
    await cycle(here, key, 'w1');
    const { token } = await takeLock(there, key, 'w2');
    const calls = callsAbout(key, here);
    const answer = await acquire(here, key, 'w3');
    expect(answer).toMatchObject({ outcome: 'held', holders: [{ owner: 'w2', token }] });
    expect(calls).toEqual({ reads: 1, swaps: 1 });
  });

  it('keeps the queue that it finds', async () => {
    const key = freshKey();
    await cycle(here, key, 'w1');
    const { token } = await takeLock(there, key, 'w2');
    const first = acquire(there, key, 'w3', { waitMs: 60_000 });
    await untilQueued(there, key, 1);
    const second = acquire(here, key, 'w4', { waitMs: 60_000 });
    await untilQueued(there, key, 2);
    await release(there, key, 'w2', token);
    const granted = await first;
    expect(granted).toMatchObject({ outcome: 'granted' });
    await release(there, key, 'w3', granted.outcome === 'granted' ? granted.token : 0);
    expect(await second).toMatchObject({ outcome: 'granted' });
  });
});
