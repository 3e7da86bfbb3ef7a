import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AcquireAnswer } from '../contract/lock/answers';
import type { FreezeCommand, ReleaseRequestCommand } from '../core/lock/lock-command';
import { DETACHED_MS } from '../core/timing';
import { freshKey } from '../storage/conformance/testing/changes';
import { storeNames } from '../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../storage/record-store';
import { anonymousRequest } from './request-identity';
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
import { firstFates } from './testing/faulty-store';
import { untilQueued } from './testing/observed-calls';

const SHARED = { mode: 'shared' } as const;
const tokenIn = (answer?: AcquireAnswer) => (answer?.outcome === 'granted' ? answer.token : 0);
const act = () => ({ by: 'ada', reason: 'a repair', request: anonymousRequest() });

describe.concurrent.each(storeNames)('two processes over %s', (name) => {
  let rig: EngineRig;
  let a: Member;
  let b: Member;

  beforeAll(async () => {
    rig = await EngineRig.open(name);
    rig.policies.set('slow', { queueLimit: 100, lockDelayMs: 1_500 });
    a = await rig.join();
    b = await rig.join();
  });
  afterAll(() => rig.close());

  const inspect = (key: RecordKey) => b.engine.run(key, { verb: 'inspect' });
  const queued = (key: RecordKey, count: number) => untilQueued(b, key, count);
  const freezing = (member: Member, key: RecordKey, verb: FreezeCommand['verb']) =>
    member.engine.run(key, { verb, ...act() });
  const tell = (key: RecordKey, verb: ReleaseRequestCommand['verb'], token: number) =>
    b.engine.run(key, { verb, token, ...act() });

  it('readers at both share a lock; a writer waits for both, later readers for it', async () => {
    const key = freshKey();
    const first = await takeLock(a, key, 'r1', SHARED);
    const second = await takeLock(b, key, 'r2', SHARED);
    const writing = acquire(b, key, 'w', { waitMs: 10_000 });
    await queued(key, 1);
    const late = acquire(a, key, 'r3', { ...SHARED, waitMs: 10_000 });
    await queued(key, 2);
    await release(a, key, 'r1', first.token);
    expect((await inspect(key)).holders.map(({ owner }) => owner)).toEqual(['r2']);
    await release(b, key, 'r2', second.token);
    const writer = await writing;
    expect(writer).toMatchObject({ outcome: 'granted' });
    expect((await inspect(key)).waiters).toMatchObject([{ owner: 'r3', mode: 'shared' }]);
    await release(b, key, 'w', tokenIn(writer));
    expect(await late).toMatchObject({ outcome: 'granted' });
  });

  it('readers that wait at both are admitted together', async () => {
    const key = freshKey();
    const { token } = await takeLock(a, key, 'w');
    const readers = [a, b, a, b].map((member, i) =>
      acquire(member, key, `r${i}`, { ...SHARED, waitMs: 10_000 }),
    );
    await queued(key, 4);
    await release(a, key, 'w', token);
    for (const answer of await Promise.all(readers)) expect(answer.outcome).toBe('granted');
    expect((await inspect(key)).holders).toHaveLength(4);
  });

  it('readers and writers of both never hold at once', async () => {
    const key = freshKey();
    let readers = 0;
    let writers = 0;
    const visit = async (member: Member, i: number) => {
      const mode = i % 4 === 0 ? 'exclusive' : 'shared';
      const { token } = await takeLock(member, key, `v${i}`, { mode, waitMs: 30_000 });
      if (mode === 'shared') readers += 1;
      else writers += 1;
      const isAlone = mode === 'shared' ? writers === 0 : writers === 1 && readers === 0;
      await pause(5);
      if (mode === 'shared') readers -= 1;
      else writers -= 1;
      await release(member, key, `v${i}`, token);
      return isAlone;
    };
    const visits = Array.from({ length: 40 }, (_, i) => visit(i % 2 ? a : b, i));
    expect(await Promise.all(visits)).toEqual(Array(40).fill(true));
  });

  it('a freeze by one keeps the waiters of the other in the queue until it is lifted', async () => {
    const key = freshKey();
    const { token } = await takeLock(a, key, 'w1');
    const waiting = acquire(b, key, 'w2', { waitMs: 20_000 });
    await queued(key, 1);
    expect(await freezing(a, key, 'freeze')).toMatchObject({ outcome: 'frozen' });
    expect(await renew(a, key, 'w1', token)).toMatchObject({ outcome: 'renewed' });
    await release(a, key, 'w1', token);
    expect(await acquire(a, key, 'w3')).toEqual({ outcome: 'frozen', reason: 'a repair' });
    await pause(1_600);
    expect(await inspect(key)).toMatchObject({ state: 'frozen', holders: [], waiters: [{}] });
    expect(await freezing(a, key, 'unfreeze')).toMatchObject({ outcome: 'unfrozen' });
    expect(await waiting).toMatchObject({ outcome: 'granted' });
    expect(await eventKinds(rig.under.store, key)).toContain('unfrozen');
  });

  it('a request whose call at one ends keeps its place for its call at the other', async () => {
    const key = freshKey();
    const { token } = await takeLock(a, key, 'w1', { leaseMs: 60_000 });
    const repeated = { waitMs: 20_000, requestId: 'r' };
    const waiting = acquire(a, key, 'w2', repeated);
    await queued(key, 1);
    const second = acquire(b, key, 'w2', { ...repeated, wait: { holdRequestMs: 200 } });
    const behind = acquire(a, key, 'w3', { waitMs: 20_000 });
    expect(await second).toMatchObject({ outcome: 'queued', place: 1 });
    await pause(DETACHED_MS + 1_000);
    expect((await inspect(key)).waiters).toMatchObject([{ owner: 'w2' }, { owner: 'w3' }]);
    await release(a, key, 'w1', token);
    const granted = await waiting;
    expect(granted).toMatchObject({ outcome: 'granted' });
    await release(a, key, 'w2', tokenIn(granted));
    expect(await behind).toMatchObject({ outcome: 'granted' });
  });

  it('a lock that one reassigns goes to the chosen waiter, others keep their places', async () => {
    const key = freshKey();
    const { token } = await takeLock(a, key, 'w1');
    const waits = [a, b, b, a].map((member, i) =>
      acquire(member, key, `q${i}`, { waitMs: 20_000 }),
    );
    await queued(key, 4);
    const tickets = (await inspect(key)).waiters.map(({ owner, ticket }) => [owner, ticket]);
    const ticketOf = (owner: string) => Number(new Map(tickets as [string, number][]).get(owner));
    const toB = { verb: 'reassign', token, ticket: ticketOf('q2'), ...act() } as const;
    expect(await a.engine.run(key, toB)).toMatchObject({
      outcome: 'reassigned',
      next: { kind: 'offered', owner: 'q2' },
      queueLength: 4,
    });
    const answer = await waits[2];
    expect(answer).toMatchObject({ outcome: 'granted' });
    expect(await a.engine.run(key, { ...toB, ...act() })).toMatchObject({
      outcome: 'changed',
      holders: [{ owner: 'q2' }],
    });
    const seen = tokenIn(answer);
    const toA = { verb: 'reassign', token: seen, ticket: ticketOf('q3'), ...act() } as const;
    expect(await a.engine.run(key, toA)).toMatchObject({ next: { kind: 'granted', owner: 'q3' } });
    const waitOf = (owner: string) => waits[Number(owner.slice(1))];
    expect(await waitOf('q3')).toMatchObject({ outcome: 'granted' });
    const left = (await inspect(key)).waiters.map(({ owner }) => owner);
    const others = tickets.map(([owner]) => owner).filter((o) => o === 'q0' || o === 'q1');
    expect(left).toEqual(others);
    expect(await renew(b, key, 'q2', seen)).toMatchObject({ outcome: 'lost', cause: 'forced' });
    let holder = 'q3';
    for (const next of others) {
      await release(a, key, holder, tokenIn(await waitOf(holder)));
      expect(await waitOf(next)).toMatchObject({ outcome: 'granted' });
      holder = next;
    }
  });

  it('after an expired lease and the lock delay, a waiter at the other is granted', async () => {
    const key = { ...freshKey(), namespace: 'slow' };
    const { expiresAt } = await takeLock(a, key, 'w1', { leaseMs: 2_000 });
    const answer = await takeLock(b, key, 'w2', { waitMs: 20_000, leaseMs: 10_000 });
    const grantedAt = answer.expiresAt - 10_000;
    expect(grantedAt).toBeGreaterThanOrEqual(expiresAt + 1_500);
    expect(grantedAt).toBeLessThan(expiresAt + 6_500);
  });

  it('a release request at one reaches the holder at its next renewal at the other', async () => {
    const key = freshKey();
    const { token, expiresAt } = await takeLock(a, key, 'w1');
    expect(await tell(key, 'askRelease', token)).toMatchObject({ outcome: 'told' });
    expect(await renew(a, key, 'w1', token)).toMatchObject({ askedToRelease: { by: 'ada' } });
    expect(await tell(key, 'stopRenewals', token)).toMatchObject({ outcome: 'told' });
    const last = await renew(a, key, 'w1', token, 60_000);
    expect(last).toMatchObject({ outcome: 'renewed', renewalsStopped: { reason: 'a repair' } });
    const end = last.outcome === 'renewed' ? last.expiresAt : 0;
    expect(end).toBeGreaterThanOrEqual(expiresAt);
    expect(end).toBeLessThan(expiresAt + 10_000);
    expect(await tell(key, 'askRelease', token - 1)).toMatchObject({ outcome: 'changed' });
  });

  it('a re-entrant acquire enters the lock that its owner is granted at the other', async () => {
    const key = freshKey();
    const { token } = await takeLock(a, key, 'w1', { leaseMs: 60_000 });
    const enter = { waitMs: 20_000, reentrant: true };
    const waits = [a, a, b].map((member) => acquire(member, key, 'w2', enter));
    await queued(key, 3);
    await release(a, key, 'w1', token);
    const granted = await Promise.all(waits);
    const counts = granted.map((answer) => answer.outcome === 'granted' && answer.holdCount);
    expect(counts.sort()).toEqual([1, 2, 3]);
    expect(await inspect(key)).toMatchObject({ holders: [{ owner: 'w2' }], waiters: [] });
  });

  it.each([
    ['with a request id', { requestId: 'enters' }],
    ['without a request id', {}],
  ])('a re-entrant acquire %s enters a lock once if it is granted it as it asks', async (_, id) => {
    const own = await rig.join();
    const wait = { waitMs: 20_000, leaseMs: 60_000 };
    // Until the grant came first: else the acquire has entered the hold that is then released.
    for (let outcome = ''; outcome !== 'released'; ) {
      const key = freshKey();
      const first = await takeLock(own, key, 'w1', wait);
      const waiting = acquire(own, key, 'w2', wait);
      await queued(key, 1);
      const entering = acquire(own, key, 'w2', { ...wait, ...id, reentrant: true });
      await queued(key, 2);
      await release(own, key, 'w1', first.token);
      const token = tokenIn(await waiting);
      const releases: ReturnType<typeof release>[] = [];
      const last = async () => {
        if (releases.length === 0) releases.push(release(own, key, 'w2', token));
      };
      const isAbout = (keys: RecordKey[]) => keys.some(({ name }) => name === key.name);
      own.faults.onRead = firstFates(isAbout, { kind: 'pass', last });
      expect(await entering).toMatchObject({ outcome: 'granted' });
      await last();
      outcome = (await Promise.all(releases)).map((answer) => answer.outcome).join();
      expect(await inspect(key)).toMatchObject({ holders: [{ owner: 'w2', holdCount: 1 }] });
    }
  });

  it.each([
    ['with a request id', { requestId: 'again' }],
    ['without a request id', {}],
  ])('a hold whose renewals are blocked can be re-entered %s for what is left', async (_, id) => {
    const key = freshKey();
    const { token, expiresAt } = await takeLock(a, key, 'w1', { leaseMs: 60_000 });
    await tell(key, 'stopRenewals', token);
    const again = { leaseMs: 3_600_000, reentrant: true, ...id };
    const entered = await takeLock(a, key, 'w1', again);
    expect(entered).toMatchObject({ token, holdCount: 2, expiresAt });
    expect(entered.expiresInMs).toBeLessThanOrEqual(60_000);
    const holdCount = 'requestId' in id ? 2 : 3;
    expect(await takeLock(b, key, 'w1', again)).toMatchObject({ token, holdCount, expiresAt });
    expect(await inspect(key)).toMatchObject({ holders: [{ token, holdCount }] });
  });
});
