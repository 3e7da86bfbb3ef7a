import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshKey } from '../storage/conformance/testing/changes';
import { type Store, storeNames } from '../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../storage/record-store';
import { requestIdentity } from './request-identity';
import { decideElsewhere } from './testing/decide-elsewhere';
import {
  acquire,
  acquireCommand,
  EngineRig,
  type Member,
  release,
  takeLock,
} from './testing/engine-rig';
import { PASS } from './testing/faulty-store';

/** Puts a waiter of a process that has died into the queue of a lock that is held. */
const leaveWaiter = (store: Store, key: RecordKey) => {
  const ask = acquireCommand(key, 'gone', { waitMs: 60_000 });
  return decideElsewhere(store, key, ask, { process: 'dead', isAlive: () => true });
};

/** A promise, and what resolves it. */
function moment(): [comes: Promise<void>, come: () => void] {
  let come = () => {};
  const comes = new Promise<void>((resolve) => {
    come = resolve;
  });
  return [comes, () => come()];
}

/**
 * Between reading a record with the remembered answers and deciding, a process may look whether
 * others are alive; meanwhile it may learn of a newer record, of whose answers it knows nothing.
 */
describe.each(storeNames)('a record that is read again before it is decided over %s', (name) => {
  let rig: EngineRig;
  let late: Member;
  let other: Member;
  beforeAll(async () => {
    rig = await EngineRig.open(name);
    late = await rig.join();
    other = await rig.join();
  });
  afterAll(() => rig.close());

  /** The process `late` reads this record, and decides it after what is done meanwhile. */
  async function whileDeciding<T>(
    key: RecordKey,
    ask: () => Promise<T>,
    meanwhile: () => Promise<void>,
  ): Promise<T> {
    const [looks, looked] = moment();
    const [isOver, end] = moment();
    let hasRead = false;
    late.faults.onRead = (keys) => {
      if (hasRead || !keys.some((one) => one.name === key.name)) return PASS;
      const last = async () => {
        hasRead = true;
      };
      return { kind: 'pass', last };
    };
    late.faults.onScan = () => {
      if (!hasRead) return PASS;
      looked();
      return { kind: 'pass', last: () => isOver };
    };
    const asked = ask();
    await looks;
    await meanwhile();
    await late.engine.reread([key]);
    end();
    late.faults.onRead = late.faults.onScan = () => PASS;
    return asked;
  }

  it('grants one request once', async () => {
    const key = freshKey();
    const { token } = await takeLock(other, key, 'w1', { leaseMs: 60_000 });
    await leaveWaiter(rig.under.store, key);
    const ask = { leaseMs: 60_000, requestId: 'r' };
    let granted = 0;
    const answer = await whileDeciding(
      key,
      () => acquire(late, key, 'w2', ask),
      async () => {
        await release(other, key, 'w1', token);
        granted = (await takeLock(other, key, 'w2', ask)).token;
        await release(other, key, 'w2', granted);
      },
    );
    expect(answer).toMatchObject({ outcome: 'ended', token: granted });
    expect((await other.engine.run(key, { verb: 'inspect' })).state).toBe('free');
  });

  it('applies one request to a counter once', async () => {
    const key = freshKey();
    await takeLock(other, key, 'w1', { leaseMs: 60_000 });
    await leaveWaiter(rig.under.store, key);
    const counter: RecordKey = { ...freshKey(), kind: 'counter' };
    const party = { service: 'orders' };
    const bounds = { floor: null, ceiling: null };
    const creation = { verb: 'create', initial: 0, ...bounds, party, request: null } as const;
    await other.engine.count(counter, creation);
    const scope = { service: 'orders', verb: 'counter.add', ...counter } as const;
    const request = requestIdentity({ ...scope, requestId: 'r', input: { delta: 1 } });
    const add = { verb: 'add', delta: 1, party, request } as const;
    const [answer] = await whileDeciding(
      counter,
      // In one packet with the lock, whose waiter is looked after.
      () =>
        Promise.all([late.engine.count(counter, add), late.engine.run(key, { verb: 'inspect' })]),
      async () => {
        expect(await other.engine.count(counter, add)).toMatchObject({ value: 1 });
      },
    );
    expect(answer).toMatchObject({ outcome: 'applied', value: 1 });
    expect(await other.engine.count(counter, { verb: 'get' })).toMatchObject({ value: 1 });
  });
});
