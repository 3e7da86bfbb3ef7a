import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freshKey } from '../storage/conformance/testing/changes';
import { sampledStores, storeNames } from '../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../storage/record-store';
import type { EngineContext } from './engine-context';
import {
  acquire,
  EngineRig,
  type Member,
  pause,
  release,
  releaseCommand,
  takeLock,
} from './testing/engine-rig';
import { insist } from './testing/insist';

const CALLERS = 50;
const IS_LONG = process.env.TEST_LONG === '1';
const ROUNDS = IS_LONG ? 20 : 4;

/** On each of 50 locks, in two rounds; half of them give up, and half end with their request. */
const WAITS = IS_LONG ? 10_000 : 2_000;
const EACH_WAY = WAITS / 200;

const PATIENCE_MS = 20_000;

describe.each(storeNames)('a hot lock over %s', (name) => {
  let rig: EngineRig;
  let members: Member[];

  beforeAll(async () => {
    rig = await EngineRig.open(name);
    members = [await rig.join(), await rig.join()];
  });
  afterAll(() => rig.close());

  it(`never has two holders while ${CALLERS} callers add ${ROUNDS} times each`, async () => {
    const key = freshKey();
    const tokens: number[] = [];
    let inside = 0;
    let most = 0;
    let unguarded = 0;
    const caller = async (i: number) => {
      const member = members[i % 10 === 0 ? 1 : 0] as Member;
      const owner = `w${i}`;
      for (let round = 0; round < ROUNDS; round += 1) {
        const { token } = await takeLock(member, key, owner, { waitMs: 60_000, leaseMs: 30_000 });
        tokens.push(token);
        inside += 1;
        most = Math.max(most, inside);
        const before = unguarded;
        await pause(0);
        unguarded = before + 1;
        inside -= 1;
        expect(await release(member, key, owner, token)).toEqual({ outcome: 'released' });
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, (_, i) => caller(i)));
    expect(most).toBe(1);
    expect(unguarded).toBe(CALLERS * ROUNDS);
    expect(tokens).toEqual([...new Set(tokens)].sort((x, y) => x - y));
  });

  it('is granted to one of 50 simultaneous callers; the others learn who holds it', async () => {
    const key = freshKey();
    for (let round = 0; round < 20; round += 1) {
      const tries = Array.from({ length: CALLERS }, (_, i) =>
        acquire(members[i % 2] as Member, key, `w${i}`),
      );
      const answers = await Promise.all(tries);
      const granted = answers.flatMap((answer, i) =>
        answer.outcome === 'granted' ? [{ owner: `w${i}`, token: answer.token }] : [],
      );
      expect(granted).toHaveLength(1);
      const [{ owner, token }] = granted as [{ owner: string; token: number }];
      const held = answers.flatMap((answer) => (answer.outcome === 'held' ? [answer.holders] : []));
      expect(held).toHaveLength(CALLERS - 1);
      for (const holders of held) expect(holders).toMatchObject([{ owner, token }]);
      await release(members[0] as Member, key, owner, token);
    }
  });
});

describe.each(sampledStores)(`after ${WAITS} waits over %s`, (name) => {
  let rig: EngineRig;

  beforeAll(async () => {
    rig = await EngineRig.open(name);
  });
  afterAll(() => rig.close());

  it('no call, no listener and no timer is left, and no place in any queue', async () => {
    const member = await rig.join();
    const line = new AbortController();
    const { context } = member.engine as unknown as { context: EngineContext };
    const timers = () =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    const keys = Array.from({ length: 50 }, () => freshKey());
    const asked = { leaseMs: 120_000, requestId: 'hold' };
    const holds = await Promise.all(
      keys.map((key) => insist(() => takeLock(member, key, 'holder', asked))),
    );
    const waitOnAll = (ways: ((key: RecordKey, owner: string) => Promise<unknown>)[]) =>
      Promise.allSettled(keys.flatMap((key) => ways.map((way, i) => way(key, `w${i}`))));

    const waitersOf = async (key: RecordKey) => {
      await member.engine.run(key, { verb: 'expireAndPromote' });
      return (await member.engine.run(key, { verb: 'inspect' })).waiters;
    };
    const wait = { signal: line.signal };
    const gaveUp = (key: RecordKey, owner: string) =>
      acquire(member, key, owner, { waitMs: 300, wait });
    const ended = (key: RecordKey, owner: string) =>
      acquire(member, key, owner, {
        waitMs: 60_000,
        requestId: owner,
        wait: { ...wait, holdRequestMs: 200 },
      });
    for (let round = 0; round < 2; round += 1) {
      await waitOnAll([...Array(EACH_WAY).fill(gaveUp), ...Array(EACH_WAY - 1).fill(ended)]);
    }
    await waitOnAll([gaveUp, gaveUp]);
    expect(context.waiters.recordIds()).toEqual([]);
    expect(getEventListeners(line.signal, 'abort')).toEqual([]);
    await vi.waitFor(() => expect(timers()).toBeLessThanOrEqual(before + 2), 10_000);

    for (const [i, key] of keys.entries()) {
      const giveBack = releaseCommand(key, 'holder', holds[i]?.token ?? 0, 'give-back');
      await insist(() => member.engine.run(key, giveBack));
      // The places of requests that may come back are kept for two seconds.
      await expect.poll(() => waitersOf(key), { timeout: PATIENCE_MS }).toEqual([]);
    }
  });
});
