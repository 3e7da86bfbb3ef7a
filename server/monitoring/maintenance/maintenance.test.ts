import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database, RawSql } from '@/db/database';
import type { EventRow } from '../../contract/console/lock-row';
import { EXPIRY_LEFT_TO_CALLERS_MS } from '../../core/timing';
import { acquire, pause, release, renew, takeLock } from '../../engine/testing/engine-rig';
import { FaultyStore } from '../../engine/testing/faulty-store';
import { insist } from '../../engine/testing/insist';
import { systemClock } from '../../platform/clock';
import { created, freshKey, readOne, stored } from '../../storage/conformance/testing/changes';
import { sampledStores, storeNames } from '../../storage/conformance/testing/stores-under-test';
import { EventRecorder } from '../history/recorder/event-recorder';
import { EventTally } from '../metrics/event-tally';
import { type MonitoringMember, MonitoringRig } from '../testing/monitoring-rig';

const CHORES = { namespace: '.lockyard', name: 'chores' };

/** Long enough to be granted in time on a busy machine. */
const SHORT_MS = 1_500;

/** Takes a lock whose lease is short; another one if a busy machine grants it too late. */
const takeShortly = (watcher: MonitoringMember, leaseMs = SHORT_MS) =>
  insist(async () => {
    const key = freshKey();
    return { key, ...(await takeLock(watcher, key, 'w1', { leaseMs })) };
  });

/** Two stores at a time; each of these measures how soon something happens. */
vi.setConfig({ maxConcurrency: 2 });

describe.concurrent.each(storeNames)('maintenance over %s', (name) => {
  let rig: MonitoringRig;

  beforeEach(async () => {
    rig = await MonitoringRig.open(name);
  });
  afterEach(() => rig.close());

  /** Where no other time is promised: long enough for a busy machine. */
  const soon = <T>(look: () => T | Promise<T>, timeout = 10_000) =>
    vi.waitFor(look, { timeout, interval: 20 });
  const chief = async ({ engine }: MonitoringMember) =>
    (await engine.run(CHORES, { verb: 'inspect' })).holders[0]?.owner;
  const eventsOf = async (
    { monitoring }: MonitoringMember,
    key: { namespace: string; name: string },
  ) => {
    const rows: EventRow[] = [];
    for (let before: string | undefined; ; ) {
      const page = await monitoring.events.list({ ...key, before, limit: 7 });
      rows.push(...page.rows);
      if (page.older === null) return rows.reverse();
      before = page.older;
    }
  };

  /** Takes a lock whose lease expired just now; tries another if a busy machine is too late. */
  const takeLapsedInTime = async (watcher: MonitoringMember) => {
    for (;;) {
      const { key, expiresAt } = await takeShortly(watcher);
      await pause(SHORT_MS + 100);
      const { rev } = await takeLock(watcher, key, 'w2', { leaseMs: 60_000 });
      const { now } = await readOne(rig.engines.under.store, key);
      if (now - expiresAt < EXPIRY_LEFT_TO_CALLERS_MS) return { key, rev };
    }
  };

  it.sequential('ends an expired lease within 2 s, its event dated to the end', async () => {
    const watcher = await rig.watch();
    await soon(async () => expect(await chief(watcher)).toBe(watcher.process));
    const { key, expiresAt, token } = await takeShortly(watcher);
    await pause(SHORT_MS);
    await soon(async () => {
      const events = await eventsOf(watcher, key);
      const expired = { kind: 'expired', at: expiresAt, token, heldMs: SHORT_MS };
      expect(events.at(-1)).toMatchObject(expired);
      expect(watcher.monitoring.projection.row(key.namespace, key.name)).toMatchObject({
        hold: null,
      });
      // What is promised, and three times as much again: the tests of another store run meanwhile.
    }, 8_000);
  });

  it.sequential('leaves a lease that has just expired to the next caller', async () => {
    const watcher = await rig.watch();
    await soon(async () => expect(await chief(watcher)).toBe(watcher.process));
    const { key, rev } = await takeLapsedInTime(watcher);
    await soon(async () => {
      const events = await eventsOf(watcher, key);
      expect(events.map(({ kind }) => kind)).toEqual(['granted', 'expired', 'granted']);
      expect(events.map((event) => event.rev)).toEqual([rev - 1, rev, rev]);
    });
  });

  it.sequential('removes all expired stored answers, however many', async () => {
    const { store } = rig.engines.under;
    const { now } = await readOne(store, freshKey());
    const keys: string[] = [];
    const lapsed = { inputHash: '', answer: null, expiresAt: now - 1_000 };
    const fill = () => {
      const storedAnswers = Array.from({ length: 500 }, (_, i) => ({
        key: `${keys.length + i}`,
        ...lapsed,
      }));
      keys.push(...storedAnswers.map(({ key }) => key));
      return created(store, freshKey(), { storedAnswers });
    };
    // A busy store may not answer in time: maintenance tries again as well.
    for (let i = 0; i < 12; i += 1) await soon(fill, 60_000);
    await soon(() => store.deleteExpiredAnswers(), 60_000);
    const { storedAnswers: left } = await soon(() => store.read([], keys), 60_000);
    expect(left).toHaveLength(0);
  });

  // The rest is decided above the store, whose clock and deletions are tested by now.
  if (!sampledStores.includes(name)) return;

  it.sequential('removes waiters of a dead process from a queue that no caller reads', async () => {
    const watcher = await rig.watch();
    const dying = await rig.engines.join();
    const key = freshKey();
    await takeLock(watcher, key, 'w1', { leaseMs: 60_000 });
    const lost = acquire(dying, key, 'w2', { waitMs: 20_000 }).catch(() => null);
    await soon(() =>
      expect(watcher.monitoring.projection.row(key.namespace, key.name)?.waiters).toBe(1),
    );
    dying.faults.goAway();
    await soon(
      () => expect(watcher.monitoring.projection.row(key.namespace, key.name)?.waiters).toBe(0),
      10_000,
    );
    dying.faults.comeBack();
    await dying.engine.drain();
    await lost;
  });

  it.sequential('runs in one process, and at once in another when that one ends', async () => {
    const watchers = [await rig.watch(), await rig.watch(), await rig.watch()];
    const [first] = watchers as [MonitoringMember, ...MonitoringMember[]];
    // One process, unless a busy machine is too late to renew its lease.
    const inCharge = new Set<string | undefined>();
    const look = async () => void inCharge.add(await chief(first));
    const lookFor = async (ms: number) => {
      for (const until = performance.now() + ms; performance.now() < until; await pause(20)) {
        await look();
      }
    };
    const doing = () => watchers.filter(({ intents }) => intents.asked > 0);
    const soonDone = () =>
      soon(async () => {
        await look();
        expect(doing()).not.toEqual([]);
      });
    const areInCharge = () => doing().every(({ process }) => inCharge.has(process));
    await soonDone();
    await lookFor(500);
    expect(areInCharge()).toBe(true);
    const last = await chief(first);
    const busy = watchers.find(({ process }) => process === last);
    for (const { intents } of watchers) intents.asked = 0;
    inCharge.clear();
    await busy?.monitoring.close();
    await soonDone();
    await lookFor(1_200);
    expect(doing()).not.toContain(busy);
    expect(areInCharge()).toBe(true);
  });

  it.sequential('is taken over from a dead process; every event is recorded once', async () => {
    const [one, two] = [await rig.watch(), await rig.watch()];
    await soon(async () => expect(await chief(one)).toBeDefined());
    const isOne = (await chief(one)) === one.process;
    const [dying, heir] = isOne ? [one, two] : [two, one];
    const worker = await rig.engines.join();
    const keys = Array.from({ length: 5 }, () => freshKey());
    let done = false;
    const working = keys.map(async (key) => {
      for (let round = 0; !done; round += 1) {
        const { token } = await takeLock(worker, key, `w${round}`, { leaseMs: 60_000 });
        await renew(worker, key, `w${round}`, token);
        await release(worker, key, `w${round}`, token);
        await pause(20);
      }
    });
    await pause(1_000);
    dying.faults.goAway();
    await soon(async () => expect(await chief(heir)).toBe(heir.process));
    await pause(300);
    dying.faults.comeBack();
    await pause(500);
    done = true;
    await Promise.all(working);
    const key = keys[0] ?? freshKey();
    const lastRev = (await stored(rig.engines.under.store, key)).rev;
    await soon(async () => expect((await eventsOf(heir, key)).at(-1)?.rev).toBe(lastRev));
    for (const each of keys) {
      // Listed by their instants, which the estimated clock of ZooKeeper may put in another order.
      const events = (await eventsOf(heir, each)).toSorted((a, b) => a.rev - b.rev);
      const kinds = events.map(({ kind }) => kind);
      expect(kinds).toEqual(kinds.map((_, i) => ['granted', 'renewed', 'released'][i % 3]));
      const [first] = events;
      expect(events.map(({ rev }) => rev)).toEqual(events.map((_, i) => (first?.rev ?? 0) + i));
    }
  });

  it.sequential('continues for one backend while another is not responding', async () => {
    const silent = await rig.engines.join();
    const otherBackends = [
      { id: 'another', store: silent.faults, engine: silent.engine, epochOf: () => 1 },
    ];
    silent.faults.goAway();
    const watcher = await rig.watch({ otherBackends });
    await soon(() => expect(watcher.intents.asked).toBeGreaterThan(0));
    const { key } = await takeShortly(watcher);
    await soon(async () => {
      // Before that it may have been granted too late, and again.
      expect((await eventsOf(watcher, key)).at(-1)?.kind).toBe('expired');
    });
  });

  it.sequential('continues although a record cannot be read', async () => {
    const broken = freshKey();
    await created(rig.engines.under.store, broken, { head: '{' });
    const watcher = await rig.watch();
    const { key } = await takeShortly(watcher);
    await soon(async () => {
      expect((await eventsOf(watcher, key)).at(-1)?.kind).toBe('expired');
    });
  });

  it.sequential('records every event, even if the database fails for a moment', async () => {
    const { database, store } = rig.engines.under;
    const worker = await rig.engines.join();
    const refusals = { left: 0 };
    const refuse = () => {
      if (refusals.left === 0) return;
      refusals.left -= 1;
      throw new Error('Not now.');
    };
    const raw: RawSql = {
      ask: database.raw.ask,
      async transaction(work) {
        refuse();
        return database.raw.transaction(work);
      },
      async batch(...args) {
        refuse();
        await database.raw.batch(...args);
      },
    };
    const unsteady: Database = Object.create(database, { raw: { value: raw } });
    const opener = new EventRecorder(
      unsteady,
      { id: 'default', history: new FaultyStore(store) },
      systemClock,
      new EventTally(),
    );
    const watcher = await rig.watch({ database: unsteady });
    await watcher.monitoring.close();
    await opener.record();
    const key = freshKey();
    const { token } = await takeLock(worker, key, 'w1');
    refusals.left = 1;
    await expect(opener.record()).rejects.toThrow('Not now.');
    await release(worker, key, 'w1', token);
    await opener.record();
    const kinds = (await eventsOf(watcher, key)).map(({ kind }) => kind);
    expect(kinds).toEqual(['granted', 'released']);
  });

  it.sequential('records a long history without falling behind, page by page', async () => {
    const worker = await rig.engines.join();
    const key = freshKey();
    const { token } = await takeLock(worker, key, 'w1', { leaseMs: 60_000 });
    for (let i = 0; i < 600; i += 1) await renew(worker, key, 'w1', token, 60_000);
    const watcher = await rig.watch();
    await soon(async () => expect(await eventsOf(watcher, key)).toHaveLength(601), 60_000);
    const events = await eventsOf(watcher, key);
    const revs = events.map(({ rev }) => rev);
    expect(revs).toEqual(revs.map((_, i) => (revs[0] ?? 0) + i));
  });
});

describe('maintenance beside a row that another transaction keeps locked', () => {
  /** How late the ends of some leases are recorded at most, in ms. */
  const latestEnd = async (watcher: MonitoringMember) => {
    const lateBy = Array.from({ length: 6 }, async (_, i) => {
      const { key, ...hold } = await takeShortly(watcher, SHORT_MS + i * 700);
      const row = () => watcher.monitoring.projection.row(key.namespace, key.name);
      await pause(hold.expiresAt - Date.now());
      await vi.waitFor(() => expect(row()?.hold).toBe(null), { timeout: 60_000, interval: 20 });
      return Date.now() - hold.expiresAt;
    });
    return Math.max(...(await Promise.all(lateBy)));
  };

  it('records the ends of other leases as soon as at any other time', async () => {
    const [rig, elsewhere] = [await MonitoringRig.open('mysql'), await MonitoringRig.open('mysql')];
    try {
      const [watcher, undisturbed] = [await rig.watch(), await elsewhere.watch()];
      const { key, expiresAt } = await takeShortly(watcher);
      const unlock = await rig.engines.under.stallRow(key);
      await pause(Math.max(0, expiresAt - Date.now()));
      // On a busy machine both are late.
      const [beside, other] = await Promise.all([latestEnd(watcher), latestEnd(undisturbed)]);
      await unlock();
      expect(beside).toBeLessThan(other + 2_000);
    } finally {
      await Promise.all([rig.close(), elsewhere.close()]);
    }
  });
});
