import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { forceReleaseLock } from '@/server/operations/locks/for-people/force-release-lock';
import { ApiHarness } from '@/test/api-harness';
import { LockLost, LockTimeout, ReleaseUnconfirmed } from './errors';
import { LockyardClient } from './lockyard-client';
import { outcomeOf, scriptedBench } from './testing/scripted-bench';
import { until } from './testing/test-clock';
import { withLock } from './with-lock';
import { withLocks } from './with-locks';

let api: ApiHarness;
let client: LockyardClient;
let other: LockyardClient;
let round = 0;
let names: [string, string, string];

beforeAll(async () => {
  api = await ApiHarness.start();
  const apiKey = await api.key('transfers');
  client = new LockyardClient({ url: api.url, apiKey, owner: 'me' });
  other = new LockyardClient({ url: api.url, apiKey, owner: 'other' });
});
afterAll(() => api.close());
beforeEach(() => {
  round += 1;
  names = [`a ${round}`, `b ${round}`, `c ${round}`];
});

const holdersOf = async () => {
  const locks = await Promise.all(names.map((name) => client.inspect({ name })));
  return locks.map(({ holders }) => holders.map(({ owner }) => owner).join());
};

async function untilWaiting(name: string) {
  while ((await client.inspect({ name })).waiters.length === 0) await sleep(10);
}

const occupied = async (name: string) => {
  const answer = await other.acquire({ name, leaseMs: 60_000 });
  const token = answer.outcome === 'granted' ? answer.token : expect.unreachable();
  return { token, free: () => other.release({ name, token }) };
};

describe('under several locks', () => {
  test('the work has all of them, each with its token, and none afterwards', async () => {
    const locks = [names[2], { name: names[0], mode: 'shared' as const }, names[1]];
    const result = await withLocks(locks, { client }, async (set) => {
      expect(await holdersOf()).toEqual(['me', 'me', 'me']);
      expect(set.holds.map(({ name }) => name)).toEqual([names[2], names[0], names[1]]);
      for (const name of names) {
        expect(await client.check({ name, token: set.token(name) })).toEqual({ valid: true });
      }
      expect(set.remainingMs()).toBeGreaterThan(20_000);
      expect(() => set.token('no such lock')).toThrow(RangeError);
      return 'done';
    });
    expect(result).toBe('done');
    expect(await holdersOf()).toEqual(['', '', '']);
  });

  test('callers that name them in different orders never overlap, and all get a turn', async () => {
    let working = 0;
    const orders = [names, [...names].reverse(), [names[1], names[0]]];
    const callers = Array.from({ length: 9 }, (_, i) =>
      withLocks(orders[i % 3] as string[], { client: i % 2 === 0 ? client : other }, async () => {
        working += 1;
        expect(working).toBe(1);
        await sleep(5);
        working -= 1;
      }),
    );
    await Promise.all(callers);
  });

  test('every one of them is renewed for as long as the work takes', async () => {
    await withLocks(names, { client, leaseMs: 8_000 }, async (set) => {
      await sleep(9_000);
      expect(set.signal.aborted).toBe(false);
      expect(await holdersOf()).toEqual(['me', 'me', 'me']);
    });
  });

  test('the loss of one ends the work, names it, and frees the others', async () => {
    const lost = withLocks(names, { client, leaseMs: 9_000 }, async (set) => {
      const [, name] = names;
      const act = { namespace: 'default', name, token: set.token(name), rev: 0, reason: 'gone' };
      await forceReleaseLock(api.cli, act);
      await new Promise((resolve) => set.signal.addEventListener('abort', resolve));
    });
    const error = await outcomeOf(lost);
    expect(error).toBeInstanceOf(LockLost);
    expect(error).toMatchObject({ lock: names[1], loss: { cause: 'forced', reason: 'gone' } });
    expect(await holdersOf()).toEqual(['', '', '']);
  });

  test('an error of the work is passed on, and all are free', async () => {
    const failed = withLocks(names, { client }, () => Promise.reject(new Error('boom')));
    await expect(failed).rejects.toThrow('boom');
    expect(await holdersOf()).toEqual(['', '', '']);
  });

  test('withLock of one of them runs at once, withLocks of one of them is refused', async () => {
    await withLocks(names, { client }, async (set) => {
      const inner = await withLock(names[1], { client, waitMs: 0 }, ({ token }) => token);
      expect(inner).toBe(set.token(names[1]));
      const again = withLocks([names[0], 'elsewhere'], { client }, () => 'never');
      await expect(again).rejects.toMatchObject({ reason: 'INVALID' });
    });
  });
});

test.each([{ mode: 'shared' }, { mode: 'permit', permits: 1, capacity: 3 }] as const)(
  'withLocks of one that is held with %j is refused as well',
  async (options) => {
    const name = `in part ${options.mode}`;
    const nested = withLock(name, { client, ...options }, () =>
      withLocks([name, 'elsewhere'], { client }, () => 'never'),
    );
    await expect(nested).rejects.toMatchObject({ reason: 'INVALID' });
  },
);

describe('waiting for several locks', () => {
  test('nothing is held meanwhile, and all are granted when the last is free', async () => {
    const { free } = await occupied(names[1]);
    const held = withLocks(names, { client }, (set) => set.waitedMs);
    await untilWaiting(names[1]);
    expect(await holdersOf()).toEqual(['', 'other', '']);
    await free();
    expect(await held).toBeGreaterThan(0);
  });

  test('a caller that times out is answered what blocked it', async () => {
    await occupied(names[2]);
    const error = await outcomeOf(withLocks(names, { client, waitMs: 200 }, () => 'never'));
    expect(error).toBeInstanceOf(LockTimeout);
    expect(error).toMatchObject({ lock: names[2], holders: [{ owner: 'other' }] });
  });

  test('a caller that gives up leaves the queue', async () => {
    await occupied(names[0]);
    const giveUp = new AbortController();
    const waiting = outcomeOf(withLocks(names, { client, signal: giveUp.signal }, () => 'never'));
    await untilWaiting(names[0]);
    giveUp.abort(new Error('enough'));
    expect(await waiting).toMatchObject({ message: 'enough' });
    expect((await client.inspect({ name: names[0] })).waiters).toEqual([]);
  });
});

describe('when replies are lost', () => {
  const bench = scriptedBench();
  const grantOf = (name: string, token: number) => ({
    name,
    mode: 'exclusive',
    token,
    rev: 7,
    holdCount: 1,
    expiresAt: 1_700_000_030_000,
    expiresInMs: 30_000,
    waitedMs: 0,
  });
  const grants = { outcome: 'granted', grants: [grantOf('a', 41), grantOf('b', 51)] };

  test('the same request is asked again, and each hold is released by its own token', async () => {
    const done = withLocks(['b', 'a'], { client: bench.client }, (set) => set.token('a'));
    const first = await bench.server.next('lock.acquireMany');
    first.loseReply();
    await bench.clock.advanceOver(100);
    const second = await bench.server.next('lock.acquireMany');
    expect(second.input).toEqual(first.input);
    second.answer(grants);
    const released = [];
    for (let i = 0; i < 2; i += 1) {
      const call = await bench.server.next('lock.release');
      released.push([call.input.name, call.input.token]);
      call.answer({ outcome: 'released' });
    }
    expect(released.sort()).toEqual([
      ['a', 41],
      ['b', 51],
    ]);
    expect(await done).toBe(41);
  });

  test('none is renewed after the work, or lost while another is being released', async () => {
    const { client, clock, server } = bench;
    let outcome: unknown;
    const done = withLocks(['b', 'a'], { client, leaseMs: 6_000 }, () => 'done');
    void outcomeOf(done).then((settled) => {
      outcome = settled;
    });
    const shorter = grants.grants.map((grant) => ({ ...grant, expiresInMs: 6_000 }));
    (await server.next('lock.acquireMany')).answer({ ...grants, grants: shorter });
    await until(() => server.waitingCalls > 0);
    while (outcome === undefined) {
      if (server.waitingCalls > 0) (await server.next('lock.release')).loseReply();
      else clock.advance(50);
      await new Promise(setImmediate);
    }
    expect(outcome).toBeInstanceOf(ReleaseUnconfirmed);
    expect(outcome).toMatchObject({ result: 'done' });
  });

  test('a caller that gives up releases the whole multi-lock', async () => {
    const giveUp = new AbortController();
    const ended = outcomeOf(
      withLocks(['a', 'b'], { client: bench.client, signal: giveUp.signal }, () => 'never'),
    );
    const asked = await bench.server.next('lock.acquireMany');
    giveUp.abort(new Error('enough'));
    const cancel = await bench.server.next('lock.cancelMany');
    expect(cancel.input).toMatchObject({ names: ['a', 'b'], requestId: asked.input.requestId });
    cancel.answer({ outcome: 'released' });
    expect(await ended).toMatchObject({ message: 'enough' });
  });
});
