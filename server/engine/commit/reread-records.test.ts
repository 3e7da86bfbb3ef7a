import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { creation, freshKey, readOne } from '../../storage/conformance/testing/changes';
import { can, storeNames } from '../../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../../storage/record-store';
import {
  acquire,
  cycle,
  EngineRig,
  eventKinds,
  type Member,
  release,
  takeLock,
} from '../testing/engine-rig';
import { firstFates } from '../testing/faulty-store';
import { callsAbout, reasonOf } from '../testing/observed-calls';

/** Between the processes of one backend. */
const shared = storeNames.filter((name) => can(name, 'manyProcesses'));

describe.each(shared)('a record that another process changed, reread over %s,', (name) => {
  let rig: EngineRig;
  let here: Member;
  let there: Member;

  beforeAll(async () => {
    rig = await EngineRig.open(name);
    here = await rig.join();
    there = await rig.join();
  });
  afterAll(() => rig.close());

  const changeElsewhere = (key: RecordKey) => cycle(there, key, 'w1');

  it('costs the next command one swap, and a read only if clocks are estimated', async () => {
    const key = freshKey();
    for (const owner of ['new here', 'known here']) {
      await changeElsewhere(key);
      await here.engine.reread([key]);
      const calls = callsAbout(key, here);
      const { token } = await takeLock(here, key, owner);
      expect(calls).toMatchObject(can(name, 'readsClock') ? { reads: 0, swaps: 1 } : { reads: 1 });
      await release(here, key, owner, token);
    }
  });

  it('does not replace what this process wrote during the read', async () => {
    const key = freshKey();
    await changeElsewhere(key);
    let token = 0;
    here.faults.onRead = firstFates((keys) => keys.some((one) => one.name === key.name), {
      kind: 'pass',
      last: async () => {
        ({ token } = await takeLock(here, key, 'w2'));
      },
    });
    await here.engine.reread([key]);
    const calls = callsAbout(key, here);
    expect(await release(here, key, 'w2', token)).toEqual({ outcome: 'released' });
    expect(calls).toEqual({ reads: 0, swaps: 1 });
  });

  it('is decided from the present record if it has changed again', async () => {
    const key = freshKey();
    await changeElsewhere(key);
    await here.engine.reread([key]);
    const { token } = await takeLock(there, key, 'w3');
    const answer = await acquire(here, key, 'w4');
    expect(answer).toMatchObject({ outcome: 'held', holders: [{ owner: 'w3', token }] });
  });

  it('keeps the place of a waiter whose process has just started', async () => {
    const key = freshKey();
    const { token } = await takeLock(here, key, 'w1');
    const newcomer = await rig.join();
    const waiting = acquire(newcomer, key, 'w2', { waitMs: 20_000 });
    const queued = async () => {
      const { record } = await readOne(rig.under.store, key);
      return record?.queue.includes('w2') ?? false;
    };
    await expect.poll(queued).toBe(true);
    await here.engine.reread([key]);
    await release(here, key, 'w1', token);
    expect(await eventKinds(rig.under.store, key)).not.toContain('dropped');
    expect(await waiting).toMatchObject({ outcome: 'granted' });
  });

  it('is left to the next command if it cannot be understood', async () => {
    const key = freshKey();
    await rig.under.store.swap([creation(key, { head: 'no record' })]);
    const [read] = await here.engine.reread([key]);
    expect(read?.record?.head).toBe('no record');
    expect(await reasonOf(acquire(here, key, 'w1'))).toBe('UNSUPPORTED');
  });

  it('is decided from the present record if its name was deleted and used again', async () => {
    const key = freshKey();
    await changeElsewhere(key);
    await here.engine.reread([key]);
    const { record } = await readOne(rig.under.store, key);
    expect(record).not.toBeNull();
    if (record) expect(await rig.under.store.deleteRecords([{ key, ...record }])).toEqual([true]);
    const { token } = await takeLock(there, key, 'w3');
    await here.engine.reread([key]);
    const answer = await acquire(here, key, 'w4');
    expect(answer).toMatchObject({ outcome: 'held', holders: [{ owner: 'w3', token }] });
  });
});
