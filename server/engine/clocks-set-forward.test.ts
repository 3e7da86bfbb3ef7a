import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshKey } from '../storage/conformance/testing/changes';
import { storeNames } from '../storage/conformance/testing/stores-under-test';
import {
  acquire,
  cycle,
  EngineRig,
  eventKinds,
  type Member,
  release,
  renew,
  takeLock,
} from './testing/engine-rig';
import { acquireMultiLock } from './testing/multi-lock-calls';
import { reasonOf, timed, untilQueued } from './testing/observed-calls';

const SET_FORWARD_MS = 120_000;

describe.each(storeNames)('over %s, when the clock is set forward', (name) => {
  let rig: EngineRig;
  let member: Member;
  let other: Member;
  beforeAll(async () => {
    rig = await EngineRig.open(name);
    member = await rig.join();
    other = await rig.join();
  });
  afterAll(() => rig.close());

  it('a multi-lock whose wait is over by that clock times out and leaves the queue', async () => {
    const key = freshKey();
    await takeLock(member, key, 'holder');
    const waiting = acquireMultiLock(member, [key, freshKey()], 'w1', { waitMs: 20_000 });
    await untilQueued(member, key, 1);
    for (const { faults } of [member, other]) faults.clockSetMs += SET_FORWARD_MS;
    const { answer, ms } = await timed(waiting);
    expect(answer).toMatchObject({ outcome: 'timeout' });
    expect(ms).toBeLessThan(6_000);
    expect(await acquire(other, key, 'newcomer')).toMatchObject({ outcome: 'granted' });
  });

  it.each([undefined, 'r'])(
    'a wait with request id %s that is over by it times out',
    async (requestId) => {
      const key = freshKey();
      await takeLock(member, key, 'holder', { leaseMs: 10 * SET_FORWARD_MS });
      const asked = { waitMs: 20_000, ...(requestId && { requestId }) };
      const waiting = acquire(member, key, 'w1', asked);
      await untilQueued(member, key, 1);
      for (const { faults } of [member, other]) faults.clockSetMs += SET_FORWARD_MS;
      const { answer, ms } = await timed(waiting);
      expect(answer).toMatchObject({ outcome: 'timeout' });
      expect(ms).toBeLessThan(6_000);
      const kinds = await eventKinds(rig.under.store, key);
      expect(kinds).toEqual(['granted', 'queued', 'timeout']);
    },
  );

  it('what is reported as over at that moment stays over, even if it is set back', async () => {
    const key = freshKey();
    const { token } = await takeLock(member, key, 'w1', { leaseMs: SET_FORWARD_MS / 2 });
    for (const { faults } of [member, other]) faults.clockSetMs += SET_FORWARD_MS;
    expect(await member.engine.run(key, { verb: 'inspect' })).toMatchObject({ state: 'expired' });
    for (const { faults } of [member, other]) faults.clockSetMs -= SET_FORWARD_MS;
    expect(await renew(member, key, 'w1', token)).toMatchObject({ outcome: 'lost' });
  });

  it('a lock acquired at that moment is granted', async () => {
    const key = freshKey();
    await cycle(member, key, 'w1');
    for (const { faults } of [member, other]) faults.clockSetMs += SET_FORWARD_MS;
    expect(await reasonOf(acquire(member, key, 'w2'))).toContain('granted');
  });
});

it('a waiter keeps its place where the clock is set forward while it has an offer', async () => {
  const rig = await EngineRig.open('sqlite');
  const [member, other] = [await rig.join(), await rig.join()];
  const key = freshKey();
  const { token } = await takeLock(member, key, 'holder');
  const waiting = acquire(other, key, 'w1', { waitMs: 5 * SET_FORWARD_MS, requestId: 'r' });
  await untilQueued(member, key, 1);
  other.faults.goAway();
  await release(member, key, 'holder', token);
  for (const { faults } of [member, other]) faults.clockSetMs += SET_FORWARD_MS;
  await member.engine.run(key, { verb: 'expireAndPromote' });
  other.faults.comeBack();
  expect(await waiting).toMatchObject({ outcome: 'granted' });
  const kinds = await eventKinds(rig.under.store, key);
  expect(kinds).toEqual(['granted', 'queued', 'released', 'offered', 'granted']);
  await rig.close();
});
