import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WatchAnswer } from '../../contract/lock/watch';
import { unwrittenRecord } from '../../core/lock/lock-record';
import { release, takeLock } from '../../engine/testing/engine-rig';
import { newSeed, seeded } from '../../engine/testing/seeded';
import { encodeRecord } from '../../storage/codec/record-codec';
import { created, freshKey } from '../../storage/conformance/testing/changes';
import { can, storeNames } from '../../storage/conformance/testing/stores-under-test';
import { type MonitoringMember, MonitoringRig } from '../testing/monitoring-rig';
import { readPosition } from './watch-position';
import { type WatchTarget, watchTarget } from './watch-target';

const LEASE = { leaseMs: 600_000 };

const CHANGES = process.env.TEST_LONG === '1' ? 400 : 20;

const sharedStores = storeNames.filter((name) => can(name, 'manyProcesses'));

describe.each(sharedStores)('watches over %s', (name) => {
  let rig: MonitoringRig;
  let member: MonitoringMember;
  let stop: AbortController;

  beforeAll(async () => {
    rig = await MonitoringRig.open(name);
    member = await rig.watch();
    await reading(member);
  });
  beforeEach(() => {
    stop = new AbortController();
  });
  afterEach(() => stop.abort());
  afterAll(() => rig.close());

  /** Resolves once a process has read its store for the first time. */
  const reading = ({ monitoring }: MonitoringMember) =>
    vi.waitFor(() => expect(monitoring.projection.isRead('default')).toBe(true), 10_000);

  function open({ monitoring }: MonitoringMember, target: WatchTarget, since?: string) {
    const from = since === undefined ? null : readPosition(since);
    const pace = { waitMs: 10_000, signal: stop.signal, onWaiting: () => {}, isPolled: false };
    return monitoring.projection.watches.follow(target, from, pace);
  }

  /** One request for changes. */
  async function ask(at: MonitoringMember, target: WatchTarget, since?: string) {
    for await (const answer of open(at, target, since)) return answer;
    throw new Error('no answer');
  }

  const targetOf = (key: { namespace: string; name: string }) =>
    watchTarget('default', 'orders', { namespace: key.namespace, names: [key.name] });

  it('report changes of any process within three seconds', async () => {
    const key = freshKey();
    const elsewhere = await rig.engines.join();
    const first = await ask(member, targetOf(key));
    expect(first).toMatchObject({ locks: [{ name: key.name, state: 'free' }], reset: false });

    const next = ask(member, targetOf(key), first.position);
    const { token } = await takeLock(elsewhere, key, 'w1', LEASE);
    const takenAt = performance.now();
    const held = await next;
    expect(performance.now() - takenAt).toBeLessThan(10_000);
    expect(held.locks).toMatchObject([{ state: 'held', holders: [{ owner: 'w1', token }] }]);

    await release(elsewhere, key, 'w1', token);
    const freed = await ask(member, targetOf(key), held.position);
    expect(freed.locks).toMatchObject([{ state: 'free', holders: [] }]);
  });

  it('lose no last state and never go back if two processes answer in turn', async () => {
    const seed = newSeed();
    const random = seeded(seed);
    const other = await rig.watch();
    await reading(other);
    const keys = [freshKey(), freshKey(), freshKey()];
    const { namespace } = keys[0] as { namespace: string };
    const target = watchTarget('default', 'orders', {
      namespace,
      names: keys.map((key) => key.name),
    });
    const seen = new Map<string, WatchAnswer['locks'][number]>();
    let [resets, isOver] = [0, false];
    const watching = (async () => {
      let since: string | undefined;
      for (let turn = 0; !isOver; turn += 1) {
        const answer = await ask(turn % 2 === 0 ? member : other, target, since);
        since = answer.position;
        resets += Number(answer.reset);
        for (const lock of answer.locks) {
          const revBefore = seen.get(lock.name)?.rev ?? 0;
          expect(lock.rev, `seed ${seed}`).toBeGreaterThanOrEqual(revBefore);
          seen.set(lock.name, lock);
        }
      }
    })();
    const held = new Map<string, number>();
    for (let i = 0; i < CHANGES; i += 1) {
      const key = keys[Math.floor(random() * keys.length)] as (typeof keys)[number];
      const by = random() < 0.5 ? member : other;
      const token = held.get(key.name);
      if (token === undefined) held.set(key.name, (await takeLock(by, key, 'w', LEASE)).token);
      else {
        await release(by, key, 'w', token);
        held.delete(key.name);
      }
      await new Promise((resolve) => setTimeout(resolve, random() * 100));
    }
    const isRight = () =>
      keys.every((key) => seen.get(key.name)?.holders[0]?.token === held.get(key.name));
    await expect.poll(isRight, { timeout: 10_000, message: `seed ${seed}` }).toBe(true);
    expect(resets, `seed ${seed}`).toBeLessThanOrEqual(2);
    isOver = true;
    stop.abort();
    await watching;
  });
});

describe('a watch whose backend stops responding', () => {
  it('answers unknown, not free, even for a lock that never existed, then the states', async () => {
    const rig = await MonitoringRig.open('sqlite');
    const member = await rig.watch();
    const { projection } = member.monitoring;
    await vi.waitFor(() => expect(projection.isRead('default')).toBe(true), 10_000);
    const [held, never] = [freshKey(), freshKey()];
    await takeLock(member, held, 'w1', LEASE);
    await vi.waitFor(() => expect(projection.row(held.namespace, held.name)).not.toBeNull(), 5_000);

    const names = [held.name, never.name];
    const target = watchTarget('default', 'orders', { namespace: held.namespace, names });
    const { signal } = new AbortController();
    const pace = { waitMs: 10_000, signal, onWaiting: () => {}, isPolled: false };
    const answers = projection.watches.follow(target, null, pace);
    const last = new Map<string, string>();
    const until = async (heldAs: string, neverAs: string) => {
      while (last.get(held.name) !== heldAs || last.get(never.name) !== neverAs) {
        const { locks } = (await answers.next()).value as WatchAnswer;
        for (const { name, state } of locks) last.set(name, state);
      }
    };
    await until('held', 'free');
    member.faults.goAway();
    await until('unknown', 'unknown');
    member.faults.comeBack();
    await until('held', 'free');
    await answers.return();
    await rig.close();
  });
});

describe('a watch of a lock in its lock delay', () => {
  it('reports its end, for which nothing is written', async () => {
    const rig = await MonitoringRig.open('sqlite');
    const key = freshKey();
    const delayed = { ...unwrittenRecord(Date.now()), delayedUntil: Date.now() + 8_000 };
    await created(rig.engines.under.store, key, { head: encodeRecord(delayed, null).head });
    const { projection } = (await rig.watch()).monitoring;
    await vi.waitFor(() => expect(projection.isRead('default')).toBe(true), 10_000);
    const target = watchTarget('default', 'orders', {
      namespace: key.namespace,
      names: [key.name],
    });
    const { signal } = new AbortController();
    const pace = { waitMs: 10_000, signal, onWaiting: () => {}, isPolled: false };
    const answers = projection.watches.follow(target, null, pace);
    const states: string[] = [];
    while (states.at(-1) !== 'free') {
      const { locks } = (await answers.next()).value as WatchAnswer;
      states.push(...locks.map(({ state }) => state));
    }
    expect(states).toContain('delayed');
    await answers.return();
    await rig.close();
  });
});
