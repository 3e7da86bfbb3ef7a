import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freshKey } from '../storage/conformance/testing/changes';
import { storesUnderTest } from '../storage/conformance/testing/stores-under-test';
import { type RecordKey, StoreError } from '../storage/record-store';
import { acquire, EngineRig, type Member, pause, release, takeLock } from './testing/engine-rig';
import { firstFates, touching } from './testing/faulty-store';
import { acquireMultiLock, cancelMultiLock } from './testing/multi-lock-calls';
import { timed, untilQueued } from './testing/observed-calls';

const LEASE_MS = 600_000;

/** Less than a call takes of which the store says nothing. */
const PROMPT_MS = 2_000;

/** As where an operator's transaction, or a backup, has read a row for update. */
describe('a row that another transaction keeps locked', () => {
  let rig: EngineRig;
  let member: Member;
  let other: Member;
  const unlocks: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    rig = new EngineRig(await storesUnderTest.mysql.open());
    member = await rig.join();
    other = await rig.join();
  });
  afterEach(async () => {
    for (const unlock of unlocks.splice(0)) await unlock();
  });
  afterAll(() => rig.close());

  const lockRow = async (key: RecordKey) => {
    unlocks.push(await rig.under.stallRow(key));
  };
  const take = async (key: RecordKey, leaseMs = LEASE_MS) =>
    (await takeLock(member, key, 'w', { leaseMs })).token;
  const outcomeOf = (work: Promise<{ outcome: string }>) =>
    work.then(
      ({ outcome }) => outcome,
      (error) => error.reason as string,
    );

  it('delays no other lock in its packet, and its own lock is not changed', async () => {
    const [locked, ...others] = Array.from({ length: 12 }, freshKey) as [RecordKey, ...RecordKey[]];
    const token = await take(locked);
    const tokens: number[] = [];
    for (const key of others) tokens.push(await take(key));
    await lockRow(locked);
    const refused = outcomeOf(release(member, locked, 'w', token));
    const released = others.map((key, i) =>
      outcomeOf(release(member, key, 'w', tokens[i] as number)),
    );
    expect(await Promise.all(released)).toEqual(others.map(() => 'released'));
    expect(await refused).toBe('CONTENDED');
    for (const unlock of unlocks.splice(0)) await unlock();
    expect(await outcomeOf(release(member, locked, 'w', token))).toBe('released');
  });

  it('is answered as CONTENDED, however many such rows there are', async () => {
    const locked = Array.from({ length: 10 }, () => freshKey());
    const tokens: number[] = [];
    for (const key of locked) tokens.push(await take(key));
    for (const key of locked) await lockRow(key);
    const asked = locked.map((key, i) => outcomeOf(release(member, key, 'w', tokens[i] as number)));
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['CONTENDED']));
  });

  it('slows no other lock down while its own is requested again and again', async () => {
    const locked = Array.from({ length: 3 }, freshKey);
    const tokens: number[] = [];
    for (const key of locked) tokens.push(await take(key));
    for (const key of locked) await lockRow(key);
    let isOver = false;
    const asking: Promise<void>[] = [];
    const ask = async (key: RecordKey, token = 0) => {
      while (!isOver) await outcomeOf(release(member, key, 'w', token));
    };
    for (const [i, key] of locked.entries()) {
      asking.push(ask(key, tokens[i]));
      // Each in a packet of its own.
      await pause(100);
    }
    // Until the server has said of each that it is locked.
    await pause(2_000);
    const times: number[] = [];
    for (let i = 0; i < 30; i += 1) {
      const { answer, ms } = await timed(acquire(member, freshKey(), 'w', { leaseMs: LEASE_MS }));
      expect(answer).toMatchObject({ outcome: 'granted' });
      times.push(ms);
    }
    isOver = true;
    await Promise.all(asking);
    times.sort((a, b) => a - b);
    expect(times.at(-1)).toBeLessThan(PROMPT_MS);
  });

  it('does not close the backend to other locks, even if multi-locks need such rows', async () => {
    const [one, two, ...inMultiLocks] = Array.from({ length: 4 }, freshKey) as [
      RecordKey,
      RecordKey,
      ...RecordKey[],
    ];
    const held = [one, two].map(async (key) => ({ key, token: await take(key) }));
    for (const key of inMultiLocks) await release(member, key, 'w', await take(key));
    const asks = [
      ...(await Promise.all(held)).map(({ key, token }) => {
        return () => release(member, key, 'w', token);
      }),
      ...inMultiLocks.map((key) => () => acquireMultiLock(member, [key, freshKey()], 'w')),
    ];
    for (const key of [one, two, ...inMultiLocks]) await lockRow(key);
    let isOver = false;
    const asking = asks.map(async (ask) => {
      while (!isOver) {
        await outcomeOf(ask());
        await pause(10);
      }
    });
    const outcomes = new Set<string>();
    for (let i = 0; i < 60; i += 1) {
      await pause(50);
      outcomes.add(await outcomeOf(acquire(member, freshKey(), 'w')));
    }
    isOver = true;
    await Promise.all(asking);
    expect([...outcomes]).toEqual(['granted']);
  });

  it('refuses a multi-lock as CONTENDED, since the backend responds', async () => {
    const locked = freshKey();
    await release(member, locked, 'w', await take(locked));
    await lockRow(locked);
    const asked = acquireMultiLock(member, [locked, freshKey()], 'w');
    expect(await outcomeOf(asked)).toBe('CONTENDED');
  });

  it('does not let the cancel of a multi-lock overtake it', async () => {
    const keys = [freshKey(), freshKey()] as [RecordKey, RecordKey];
    const first = async () => {
      cancelled = cancelMultiLock(member, keys, 'w', 'a');
      throw new StoreError('Row locked.', 'no', { retryable: true, isRowLocked: true });
    };
    let cancelled: ReturnType<typeof cancelMultiLock> | undefined;
    member.faults.onSwap = firstFates(touching(keys[0]), { kind: 'pass', first });
    const asked = acquireMultiLock(member, keys, 'w', { requestId: 'a' });
    expect(await asked).toMatchObject({ outcome: 'granted' });
    expect(await cancelled).toEqual({ outcome: 'released' });
  });

  it('delays no multi-lock of other locks, and no other lock of one that needs it', async () => {
    const locked = Array.from({ length: 4 }, freshKey);
    const others = locked.map(() => freshKey());
    const refusals = new Set<string>();
    for (const key of locked) await release(member, key, 'w', await take(key));
    for (const key of locked) await lockRow(key);
    let isOver = false;
    const asking = locked.map(async (key, i) => {
      const keys = [key, others[i] as RecordKey];
      while (!isOver) {
        refusals.add(await outcomeOf(acquireMultiLock(member, keys, 'w')));
        await pause(10);
      }
    });
    // Until the server has said of each that it is locked.
    await pause(5_000);
    const times: number[] = [];
    for (const key of others) {
      const keys = [freshKey(), freshKey()];
      const multiLock = await timed(outcomeOf(acquireMultiLock(member, keys, 'x')));
      const single = await timed(outcomeOf(acquire(member, key, 'x')));
      expect([multiLock.answer, single.answer]).toEqual(['granted', 'granted']);
      times.push(multiLock.ms, single.ms);
    }
    isOver = true;
    await Promise.all(asking);
    expect(Math.max(...times)).toBeLessThan(PROMPT_MS);
    expect(refusals).toContain('CONTENDED');
    expect(refusals).not.toContain('BACKEND_DOWN');
  });

  it('costs waiters for other locks no place', async () => {
    const [locked, key] = [freshKey(), freshKey()];
    await take(locked, 1_000);
    const token = await take(key);
    const behind = acquire(member, locked, 'x', { waitMs: 12_000 }).catch(() => null);
    await untilQueued(other, locked, 1);
    const order: string[] = [];
    const queued = async (from: Member, owner: string, place: number) => {
      const granted = acquire(from, key, owner, { waitMs: 30_000, leaseMs: LEASE_MS });
      await untilQueued(other, key, place);
      return granted.then(async (answer) => {
        order.push(`${owner} ${answer.outcome}`);
        if (answer.outcome === 'granted') await release(from, key, owner, answer.token);
      });
    };
    const first = queued(member, 'first', 1);
    await untilQueued(other, key, 1);
    const second = queued(other, 'second', 2);
    await untilQueued(other, key, 2);
    await lockRow(locked);
    // The lease of that lock is over by then, which cannot be written.
    await pause(2_500);
    await release(other, key, 'w', token);
    await Promise.all([first, second]);
    expect(order).toEqual(['first granted', 'second granted']);
    for (const unlock of unlocks.splice(0)) await unlock();
    await behind;
  });
});
