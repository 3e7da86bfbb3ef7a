import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshKey } from '../storage/conformance/testing/changes';
import { storeNames } from '../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../storage/record-store';
import {
  acquire,
  EngineRig,
  eventKinds,
  type Member,
  pause,
  release,
  renew,
  takeLock,
} from './testing/engine-rig';
import { firstFates, PASS, touching } from './testing/faulty-store';
import { acquireMultiLock, cancelMultiLock, takeMultiLock } from './testing/multi-lock-calls';
import { timed, untilQueued } from './testing/observed-calls';

const freshKeys = (count = 3): [RecordKey, ...RecordKey[]] => {
  const keys = Array.from({ length: count }, () => freshKey());
  keys.sort((a, b) => (a.name < b.name ? -1 : 1));
  return keys as [RecordKey, ...RecordKey[]];
};

describe.concurrent.each(storeNames)('multi-locks over %s', (name) => {
  let rig: EngineRig;
  let a: Member;
  let b: Member;

  beforeAll(async () => {
    rig = await EngineRig.open(name);
    a = await rig.join();
    b = await rig.join();
  });
  afterAll(() => rig.close());

  const inspect = (key: RecordKey, member = b) => member.engine.run(key, { verb: 'inspect' });
  const holdersOf = async (keys: RecordKey[]) => {
    const locks = await Promise.all(keys.map((key) => inspect(key)));
    return locks.map(({ holders }) => holders.map(({ owner }) => owner).join());
  };
  const queued = (key: RecordKey, count = 1) => untilQueued(b, key, count);

  it('are granted completely, and each hold is renewed and released on its own', async () => {
    const keys = freshKeys();
    const { grants } = await takeMultiLock(a, keys, 'w1');
    expect(grants.map((grant) => grant.name)).toEqual(keys.map((key) => key.name));
    expect(await holdersOf(keys)).toEqual(['w1', 'w1', 'w1']);
    const [first, second] = keys;
    const [one, two] = grants;
    if (!second || !one || !two) return expect.unreachable();
    expect(await renew(b, first, 'w1', one.token)).toMatchObject({ outcome: 'renewed' });
    expect(await release(b, second, 'w1', two.token)).toEqual({ outcome: 'released' });
    expect(await holdersOf(keys)).toEqual(['w1', '', 'w1']);
    expect((await inspect(first)).holders[0]?.set).toMatchObject({ size: 3 });
  });

  it('acquire nothing if one lock is held', async () => {
    const keys = freshKeys();
    await takeLock(b, keys[1] as RecordKey, 'other');
    expect(await acquireMultiLock(a, keys, 'w1')).toMatchObject({
      outcome: 'held',
      blockedBy: [{ name: keys[1]?.name, holders: [{ owner: 'other' }] }],
    });
    expect(await holdersOf(keys)).toEqual(['', 'other', '']);
  });

  it.each(['the same process', 'another process'])(
    'are granted soon after the lock that blocked them was released at %s',
    async (where) => {
      const keys = freshKeys();
      const [, middle] = keys as [RecordKey, RecordKey];
      const { token } = await takeLock(a, middle, 'other');
      const waiting = acquireMultiLock(where === 'another process' ? b : a, keys, 'w1', {
        waitMs: 10_000,
      });
      await queued(middle);
      expect(await holdersOf(keys)).toEqual(['', 'other', '']);
      await release(a, middle, 'other', token);
      const { answer, ms } = await timed(waiting);
      expect(answer).toMatchObject({ outcome: 'granted' });
      expect(ms).toBeLessThan(6_000);
      expect(await eventKinds(rig.under.store, middle)).toEqual([
        'granted',
        'queued',
        'released',
        'offered',
        'granted',
      ]);
    },
  );

  it('let the next waiter pass, and move on if another lock blocks them by now', async () => {
    const keys = freshKeys();
    const [first, second] = keys as [RecordKey, RecordKey];
    const one = await takeLock(a, second, 'other');
    const waiting = acquireMultiLock(a, keys, 'w1', { waitMs: 10_000 });
    await queued(second);
    const behind = acquire(b, second, 'single', { waitMs: 10_000 });
    await queued(second, 2);
    const two = await takeLock(a, first, 'other');
    await release(a, second, 'other', one.token);
    const single = await behind;
    expect(single).toMatchObject({ outcome: 'granted' });
    await queued(first);
    await release(a, first, 'other', two.token);
    await queued(second);
    if (single.outcome === 'granted') await release(b, second, 'single', single.token);
    expect(await waiting).toMatchObject({ outcome: 'granted' });
    expect(await eventKinds(rig.under.store, second)).toContain('moved');
  });

  it('time out when their patience is over, and leave no place behind', async () => {
    const keys = freshKeys();
    await takeLock(a, keys[0], 'other');
    const { answer, ms } = await timed(
      acquireMultiLock(b, keys, 'w1', { waitMs: 400, requestId: 'r1' }),
    );
    expect(answer).toMatchObject({ outcome: 'timeout', blockedBy: [{ name: keys[0].name }] });
    expect(ms).toBeGreaterThan(350);
    expect(ms).toBeLessThan(6_000);
    expect((await inspect(keys[0])).waiters).toEqual([]);
    const again = await acquireMultiLock(a, keys, 'w1', { waitMs: 400, requestId: 'r1' });
    expect(again).toMatchObject({ outcome: 'timeout' });
  });

  it('keep their place between two requests with the same id, at any process', async () => {
    const keys = freshKeys();
    const { token } = await takeLock(a, keys[0], 'other');
    const parts = { waitMs: 10_000, requestId: 'r1' };
    const first = await acquireMultiLock(a, keys, 'w1', { ...parts, wait: { holdRequestMs: 200 } });
    expect(first).toMatchObject({ outcome: 'queued', name: keys[0].name, place: 1 });
    const second = acquireMultiLock(b, keys, 'w1', parts);
    await pause(100);
    await release(a, keys[0], 'other', token);
    const granted = await second;
    expect(granted).toMatchObject({ outcome: 'granted' });
    expect(await acquireMultiLock(a, keys, 'w1', parts)).toMatchObject({
      outcome: 'granted',
      grants: granted.outcome === 'granted' ? granted.grants.map(({ token }) => ({ token })) : [],
    });
  });

  it('give two calls with one id the same answer', async () => {
    const keys = freshKeys();
    const { token } = await takeLock(a, keys[0], 'other');
    const parts = { waitMs: 10_000, requestId: 'r1' };
    const calls = [a, a, b].map((member) => acquireMultiLock(member, keys, 'w1', parts));
    await queued(keys[0]);
    await pause(300);
    await release(a, keys[0], 'other', token);
    const answers = await Promise.all(calls);
    const tokens = answers.map((answer) => 'grants' in answer && answer.grants.map((g) => g.token));
    expect(answers.map(({ outcome }) => outcome)).toEqual(['granted', 'granted', 'granted']);
    expect(tokens[1]).toEqual(tokens[0]);
    expect(tokens[2]).toEqual(tokens[0]);
    expect(
      (await eventKinds(rig.under.store, keys[0])).filter((k) => k === 'granted'),
    ).toHaveLength(2);
  });

  it('leave the queue at once when their caller hangs up', async () => {
    const keys = freshKeys();
    await takeLock(a, keys[0], 'other');
    const hangUp = new AbortController();
    const wait = { signal: hangUp.signal };
    const waiting = acquireMultiLock(a, keys, 'w1', { waitMs: 10_000, wait });
    await queued(keys[0]);
    hangUp.abort();
    await waiting;
    expect((await inspect(keys[0])).waiters).toEqual([]);
  });

  it('can be undone by their request id, waiting or granted', async () => {
    const keys = freshKeys();
    const { token } = await takeLock(a, keys[0], 'other');
    const waiting = acquireMultiLock(a, keys, 'w1', { waitMs: 10_000, requestId: 'r1' });
    await queued(keys[0]);
    expect(await cancelMultiLock(b, keys, 'w1', 'r1')).toEqual({ outcome: 'cancelled' });
    expect(await waiting).toMatchObject({ outcome: 'timeout' });
    await release(a, keys[0], 'other', token);
    await takeMultiLock(a, keys, 'w1', { requestId: 'r2' });
    expect(await cancelMultiLock(b, keys, 'w1', 'r2')).toEqual({ outcome: 'released' });
    expect(await holdersOf(keys)).toEqual(['', '', '']);
  });

  it('are answered with their place by a server that shuts down', async () => {
    const member = await rig.join();
    const keys = freshKeys();
    await takeLock(a, keys[0], 'other');
    const waiting = acquireMultiLock(member, keys, 'w1', { waitMs: 10_000, requestId: 'r1' });
    await queued(keys[0]);
    await member.engine.drain();
    expect(await waiting).toMatchObject({ outcome: 'queued', place: 1 });
  });

  it('delay others by at most 2 s when their process dies while waiting', async () => {
    const dying = await rig.join();
    const keys = freshKeys();
    const { token } = await takeLock(a, keys[0], 'other');
    const lost = acquireMultiLock(dying, keys, 'lost', { waitMs: 20_000 }).catch(() => null);
    await queued(keys[0]);
    const next = acquireMultiLock(b, keys, 'next', { waitMs: 20_000 });
    await queued(keys[0], 2);
    dying.faults.goAway();
    const { answer, ms } = await timed(Promise.all([release(a, keys[0], 'other', token), next]));
    expect(answer[1]).toMatchObject({ outcome: 'granted' });
    expect(ms).toBeLessThan(6_000);
    dying.faults.comeBack();
    await lost;
  });

  it('are held completely or not at all if a process dies between swap and answer', async () => {
    for (const fate of ['loseReply', 'loseRequest'] as const) {
      const dying = await rig.join();
      const keys = freshKeys();
      dying.faults.onSwap = (changes) => {
        if (!touching(keys[0])(changes)) return { kind: 'pass' };
        setTimeout(() => dying.faults.goAway(), 0);
        return { kind: fate };
      };
      const answer = acquireMultiLock(dying, keys, 'w1', { leaseMs: 60_000 });
      await expect(answer).rejects.toMatchObject({ reason: 'UNKNOWN' });
      const holders = await holdersOf(keys);
      expect(holders).toEqual(fate === 'loseReply' ? ['w1', 'w1', 'w1'] : ['', '', '']);
    }
  });

  it.each(['loseReply', 'loseRequest', 'refuse'] as const)(
    'are granted once, whole, although a reply fared as: %s',
    async (kind) => {
      const member = await rig.join();
      const keys = freshKeys();
      member.faults.onSwap = firstFates(touching(keys[0]), { kind });
      const { grants } = await takeMultiLock(member, keys, 'w1', { requestId: 'r1' });
      expect(await holdersOf(keys)).toEqual(['w1', 'w1', 'w1']);
      const again = await takeMultiLock(a, keys, 'w1', { requestId: 'r1' });
      expect(again.grants.map(({ token }) => token)).toEqual(grants.map(({ token }) => token));
      const kinds = await eventKinds(rig.under.store, keys[1] as RecordKey);
      expect(kinds.filter((k) => k === 'granted')).toHaveLength(1);
    },
  );

  it('are never acquired once their caller was answered that nothing was changed', async () => {
    const [own, keys] = [await rig.join(), freshKeys()];
    own.faults.onRead = (read) =>
      read.some((key) => key.name === keys[0].name) ? { kind: 'pass', afterMs: 5_000 } : PASS;
    const asked = acquireMultiLock(own, keys, 'w1', { leaseMs: 60_000, requestId: 'late' });
    await expect(asked).rejects.toMatchObject({ reason: 'BACKEND_DOWN' });
    await pause(800);
    expect(await holdersOf(keys)).toEqual(['', '', '']);
  });

  it('are reverted completely and decided again if the grant came too late', async () => {
    const member = await rig.join();
    const keys = freshKeys();
    const last = async () => member.later(1_270);
    member.faults.onSwap = firstFates(touching(keys[0]), { kind: 'pass', last });
    const { grants } = await takeMultiLock(member, keys, 'w1', { leaseMs: 1_400 });
    expect(Math.min(...grants.map(({ expiresInMs }) => expiresInMs))).toBeGreaterThan(140);
    for (const key of keys) {
      expect(await eventKinds(rig.under.store, key)).toEqual(['granted', 'late', 'granted']);
    }
  });

  it('do not starve, nor do waiters behind them, while others keep their locks busy', async () => {
    const keys = freshKeys(2);
    // All turns of a busy machine may take longer than a call is usually held open.
    const patient = { waitMs: 150_000, wait: { holdRequestMs: 150_000 } };
    let isOver = false;
    let singles = 0;
    let looks = 0;
    const busy = Array.from({ length: 8 }, async (_, i) => {
      const key = keys[i % 2] as RecordKey;
      while (!isOver) {
        const answer = await acquire(a, key, `s${i}`, { waitMs: 5_000 });
        if (answer.outcome !== 'granted') continue;
        singles += 1;
        await release(a, key, `s${i}`, answer.token);
        await pause(150);
      }
    });
    const looking = Array.from({ length: 8 }, async (_, i) => {
      while (!isOver) {
        await inspect(keys[i % 2] as RecordKey, a);
        looks += 1;
        // Without it, the looks over four stores at the same time leave no time for anything else.
        await pause(5);
      }
    });
    const sets = Array.from({ length: 4 }, async (_, i) => {
      for (let n = 0; n < 5 || singles <= 20; n += 1) {
        const { grants } = await takeMultiLock(a, keys, `set${i}`, patient);
        for (const { name: lock, token } of grants) {
          await release(a, { namespace: 'default', name: lock }, `set${i}`, token);
        }
      }
    });
    const allSets = Promise.all(sets).finally(() => {
      isOver = true;
    });
    await Promise.all([allSets, ...busy, ...looking]);
    expect(singles).toBeGreaterThan(20);
    expect(looks).toBeGreaterThan(100);
  });
});
