import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshKey } from '../../storage/conformance/testing/changes';
import { can, storeNames } from '../../storage/conformance/testing/stores-under-test';
import {
  acquire,
  cycle,
  EngineRig,
  eventKinds,
  type Member,
  pause,
  release,
  takeLock,
} from '../testing/engine-rig';
import { callsAbout, untilQueued } from '../testing/observed-calls';

/** Those that answer a change that was not applied with the record that is there. */
const telling = storeNames.filter((name) => can(name, 'manyProcesses') && can(name, 'readsClock'));

describe.each(telling)('a command that finds a change by another process over %s', (name) => {
  let rig: EngineRig;
  let here: Member;
  let there: Member;

  beforeAll(async () => {
    rig = await EngineRig.open(name);
    there = await rig.join();
    // What it reads of processes as it starts includes the other one.
    here = await rig.join();
  });
  afterAll(() => rig.close());

  it('is decided again from what the swap returned, without a read', async () => {
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

  it('is decided again alone if others share its packet', async () => {
    const keys = [freshKey(), freshKey(), freshKey()];
    const [stale = freshKey(), ...others] = keys;
    for (const key of keys) await cycle(here, key, 'w1');
    const before = await cycle(there, stale, 'w2');
    // What was written within the same millisecond is not answered by MariaDB.
    await pause(5);
    const calls = callsAbout(stale, here);
    const [taken] = await Promise.all([stale, ...others].map((key) => takeLock(here, key, 'w3')));
    expect(taken?.token).toBeGreaterThan(before);
    expect(calls).toEqual({ reads: 0, swaps: 2 });
    for (const key of others) {
      const kinds = await eventKinds(rig.under.store, key);
      expect(kinds).toEqual(['granted', 'released', 'granted']);
    }
  });

  it('is refused because of a hold only after reading it', async () => {
    const key = freshKey();
    await cycle(here, key, 'w1');
    const { token } = await takeLock(there, key, 'w2');
    const calls = callsAbout(key, here);
    const answer = await acquire(here, key, 'w3');
    expect(answer).toMatchObject({ outcome: 'held', holders: [{ owner: 'w2', token }] });
    expect(calls).toEqual({ reads: 1, swaps: 1 });
  });

  it('keeps the queue as found', async () => {
    const key = freshKey();
    await cycle(here, key, 'w1');
    const { token } = await takeLock(there, key, 'w2');
    const first = acquire(there, key, 'w3', { waitMs: 60_000 });
    await untilQueued(there, key, 1);
    const calls = callsAbout(key, here);
    let untilItsPlace = calls;
    // On a busy machine, the check of locks with waiters reads it before the test goes on.
    const onQueued = () => {
      untilItsPlace = { ...calls };
    };
    const second = acquire(here, key, 'w4', { waitMs: 60_000, wait: { onQueued } });
    await untilQueued(there, key, 2);
    // A Redis keeps the queue beside the record, and a swap answers the record alone.
    expect(untilItsPlace).toEqual({ reads: name === 'redis' ? 1 : 0, swaps: 2 });
    await release(there, key, 'w2', token);
    const granted = await first;
    expect(granted).toMatchObject({ outcome: 'granted' });
    await release(there, key, 'w3', granted.outcome === 'granted' ? granted.token : 0);
    expect(await second).toMatchObject({ outcome: 'granted' });
  });
});
