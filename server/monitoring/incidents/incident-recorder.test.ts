import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { countingStatements } from '@/db/testing/counting-statements';
import { queryPlans } from '@/db/testing/query-plans';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import { LockPast } from '../history/lock-past';
import type { MonitoredBackend } from '../projection/monitored-backend';
import { TableRig } from '../testing/table-rig';
import { IncidentRecorder } from './incident-recorder';
import { IncidentTable } from './incident-table';

describe.each(TEST_DIALECTS)('the recorded incidents over %s', (dialect) => {
  let database: Database;
  let rig: TableRig;
  let incidents: IncidentTable;
  /** How far all clocks but the monotonic one were set ahead. */
  let setAheadMs = 0;

  beforeAll(async () => {
    database = await openTestDatabase(dialect);
  });
  beforeEach(async () => {
    await database.raw.ask('DELETE FROM incidents', []);
    rig = new TableRig();
    rig.stuckAfterMs = 60_000;
    setAheadMs = 0;
    incidents = new IncidentTable(database);
  });
  afterAll(() => database.close());

  const health = () => ({ clockOffsetMs: rig.clockOffsetMs });

  const recorder = (backends = ['default', 'other'], over = database, table = rig.table) =>
    new IncidentRecorder({
      database: over,
      table,
      isRead: () => true,
      isFresh: ({ id }) => !rig.silent.has(id),
      backends: backends.map((id) => ({
        id,
        engine: { health },
      })) as unknown as MonitoredBackend[],
      past: new LockPast(database),
      clock: { now: () => rig.now, monotonic: () => rig.now - setAheadMs },
    });

  /** One reading a second. */
  const watch = async (by: IncidentRecorder, seconds: number) => {
    for (let i = 0; i < seconds; i += 1) {
      rig.now += 1_000;
      await by.run();
    }
  };

  const all = () => incidents.list({ limit: 100 });

  const STUCK = { heldMs: 120_000, leaseLeftMs: 3_600_000, waiters: 2, waitedMs: 5_000 };
  const FINE = { heldMs: 10, leaseLeftMs: 3_600_000, waiters: 0 };

  it('have an incident from when a lock is stuck until 30 s after its release', async () => {
    const by = recorder();
    rig.store('fine', FINE);
    rig.store('index', STUCK);
    const stuckAt = rig.now - 5_000;
    await watch(by, 10);
    expect(await all()).toMatchObject([
      { name: 'index', status: 'stuck', beganAt: stuckAt, endedAt: null, waitersMax: 2 },
    ]);
    rig.store('index', FINE);
    await watch(by, 30);
    const clearedAt = rig.now - 29_000;
    expect(await all()).toMatchObject([{ clearedAt, endedAt: null }]);
    await watch(by, 1);
    expect(await all()).toMatchObject([{ name: 'index', endedAt: clearedAt }]);
    expect(await incidents.countOpen()).toBe(0);
  });

  it('begin one when the waits of a lock add up to more than 30 s', async () => {
    const by = recorder();
    rig.store('hot', { heldMs: 1_000, leaseLeftMs: 3_600_000, waiters: 4, waitedMs: 1_000 });
    await watch(by, 6);
    expect(await all()).toEqual([]);
    await watch(by, 1);
    const facts = { stuck: null, hold: { owner: 'w1' } };
    expect(await all()).toMatchObject([{ name: 'hot', status: 'contended', facts }]);
  });

  it('do not count a lock as quiet if its backend stops responding during a read', async () => {
    rig.store('index', STUCK);
    let goesSilent = false;
    const table: typeof rig.table = Object.create(rig.table);
    table.slice = () => {
      const slice = rig.table.slice();
      slice.forEach = async (items, work) => {
        if (goesSilent) rig.silent.add('default');
        await rig.table.refresh();
        for (const [i, item] of [...items].entries()) work(item, i);
      };
      return slice;
    };
    const by = recorder(['default'], database, table);
    await watch(by, 5);
    goesSilent = true;
    await watch(by, 10);
    expect(await all()).toMatchObject([{ name: 'index', clearedAt: null }]);
  });

  it('begin none because the clock of this process was set', async () => {
    const by = recorder();
    rig.clockOffsetMs = 90_000;
    rig.store('queue', { heldMs: 1_000, leaseLeftMs: 3_600_000, waiters: 1 });
    await watch(by, 3);
    rig.now += 90_000;
    rig.clockOffsetMs = 0;
    await watch(by, 3);
    expect(await all()).toEqual([]);
  });

  it('continue within 30 s of a recovery, although the clocks were set ahead', async () => {
    const by = recorder();
    rig.store('index', STUCK);
    await watch(by, 5);
    rig.store('index', FINE);
    await watch(by, 10);
    const clearedAt = rig.now - 9_000;
    setAheadMs = 600_000;
    rig.now += setAheadMs;
    await watch(by, 20);
    expect(await all()).toMatchObject([{ clearedAt, endedAt: null }]);
    await watch(by, 1);
    expect(await all()).toMatchObject([{ endedAt: clearedAt }]);
  });

  it('continue after a restart, and keep counting', async () => {
    rig.store('index', STUCK);
    await watch(recorder(), 12);
    const successor = recorder();
    rig.now += 60_000;
    await watch(successor, 1);
    rig.store('index', FINE);
    await watch(successor, 31);
    const [incident, ...others] = await all();
    expect(others).toEqual([]);
    expect(incident?.endedAt).toBe(rig.now - 30_000);
    // Two waiters: 10 s until the last write before, then 64 s.
    expect(incident?.waiterMs).toBeGreaterThanOrEqual(2 * 70_000);
  });

  it('are written every 10 s, however soon processes take over from one another', async () => {
    rig.store('index', STUCK);
    for (let takeover = 0; takeover < 5; takeover += 1) {
      await watch(recorder(), 5);
      const [incident] = await all();
      expect(rig.now - (incident?.readAt ?? 0)).toBeLessThanOrEqual(10_000);
    }
  });

  it('are written within 3 s of a recovery, and less often if that keeps changing', async () => {
    const statements: string[] = [];
    const by = recorder(['default'], countingStatements(database, statements));
    rig.store('index', STUCK);
    await watch(by, 5);
    rig.store('index', FINE);
    await watch(by, 3);
    expect((await all())[0]?.clearedAt).not.toBeNull();
    const turn = async (i: number) => {
      rig.store('index', i % 2 === 0 ? STUCK : FINE);
      await watch(by, 1);
    };
    for (let i = 0; i < 20; i += 1) await turn(i);
    statements.length = 0;
    for (let i = 0; i < 60; i += 1) await turn(i);
    expect(statements.filter((sql) => sql.startsWith('INSERT'))).toHaveLength(6);
    await watch(by, 10);
    const [incident] = await all();
    expect(incident?.clearedAt).toBe(rig.now - 10_000);
  });

  it('are left to the next process if there is no time to end them; nothing is lost', async () => {
    const names = Array.from({ length: 250 }, (_, i) => `lock-${i}`);
    for (const name of names) rig.store(name, STUCK);
    const by = recorder();
    await watch(by, 1);
    for (const name of names) rig.store(name, FINE);
    await watch(by, 30);
    rig.store('new', STUCK);
    rig.now += 1_000;
    let steps = 0;
    await by.run(() => {
      steps += 1;
      return steps <= 20;
    });
    const open = await incidents.countOpen();
    expect(open).toBe(names.length - 20 + 1);
    await watch(recorder(), 1);
    const [newest, ...found] = await incidents.list({ limit: 1_000 });
    expect(newest).toMatchObject({ name: 'new', endedAt: null });
    expect(found).toHaveLength(names.length);
    expect([...new Set(found.map(({ endedAt }) => endedAt))]).toEqual([rig.now - 31_000]);
  });

  it('have one incident of a lock even if two processes record for a moment', async () => {
    rig.store('index', STUCK);
    const [one, other] = [recorder(), recorder()];
    rig.now += 1_000;
    await Promise.allSettled([one.run(), other.run()]);
    await watch(one, 3);
    await watch(other, 3);
    expect(await all()).toHaveLength(1);
  });

  it('of hundreds of locks are written in few statements, each with its own facts', async () => {
    const locks = Array.from({ length: 250 }, (_, i) => `lock-${i}`);
    const lengthOf = (lock: string) => (locks.indexOf(lock) % 5) + 1;
    const statements: string[] = [];
    const counted = countingStatements(database, statements);
    const by = recorder(['default', 'other'], counted);
    for (const lock of locks) rig.store(lock, { ...STUCK, waiters: lengthOf(lock) });
    await watch(by, 1);
    expect(statements.filter((sql) => sql.startsWith('INSERT'))).toHaveLength(3);
    rig.store('lock-7', { ...STUCK, waiters: 50 });
    await watch(by, 1);
    for (const lock of locks.slice(100)) rig.store(lock, FINE);
    await watch(by, 31);
    const found = await incidents.list({ limit: 1_000 });
    expect(found.map(({ name }) => name).sort()).toEqual([...locks].sort());
    for (const { name, waitersMax, endedAt } of found) {
      expect(waitersMax, name).toBe(name === 'lock-7' ? 50 : lengthOf(name));
      expect(endedAt === null, name).toBe(locks.indexOf(name) < 100);
    }
    expect(await incidents.countOpen()).toBe(100);
    expect([...(await incidents.open()).keys()]).toContain('default/default/lock-99');
  });

  it('include to its end one that a former process wrote after its successor began', async () => {
    const [former, heir] = [recorder(), recorder()];
    rig.store('index', FINE);
    await watch(heir, 1);
    rig.store('index', STUCK);
    await watch(former, 1);
    rig.store('index', FINE);
    await watch(heir, 60);
    expect(await incidents.countOpen()).toBe(1);
    await heir.prune();
    await watch(heir, 31);
    expect(await incidents.countOpen()).toBe(0);
  });

  it('do not change once another process has ended them', async () => {
    rig.store('index', STUCK);
    const former = recorder();
    await watch(former, 2);
    rig.store('index', FINE);
    await watch(recorder(), 31);
    const ended = await all();
    expect(ended).toMatchObject([{ name: 'index', endedAt: rig.now - 30_000 }]);
    rig.store('index', { ...STUCK, waiters: 9 });
    await watch(former, 2);
    expect(await all()).toEqual(ended);
  });

  it('of a silent backend neither end nor grow', async () => {
    const by = recorder();
    rig.store('remote', { ...STUCK, namespace: 'away' });
    await watch(by, 11);
    const [before] = await all();
    rig.silent.add('other');
    await watch(by, 60);
    expect(await all()).toEqual([before]);
    rig.silent.delete('other');
    rig.store('remote', { ...FINE, namespace: 'away' });
    await watch(by, 31);
    expect((await all())[0]?.endedAt).not.toBeNull();
  });

  it('count no lease as expired until history is read past its end', async () => {
    const by = recorder();
    rig.store('index', { heldMs: 1_000, leaseLeftMs: 2_000 });
    rig.table.reads.note('default', rig.now);
    await watch(by, 5);
    expect(await all()).toEqual([]);
    rig.table.reads.note('default', rig.now);
    await watch(by, 1);
    expect(await all()).toMatchObject([{ name: 'index', status: 'expired' }]);
  });

  it('begin none for what was left while no server ran', async () => {
    const by = recorder();
    rig.store('index', STUCK);
    rig.store('lapsed', { heldMs: 60_000, leaseLeftMs: -30_000 });
    rig.table.reads.note('default', rig.now);
    await watch(by, 2);
    rig.store('index', FINE);
    rig.store('lapsed', FINE);
    rig.table.reads.note('default', rig.now);
    await watch(by, 5);
    expect(await all()).toEqual([]);
  });

  it('end when their lock is deleted', async () => {
    const by = recorder();
    rig.store('index', STUCK);
    await watch(by, 2);
    rig.remove('index');
    await watch(by, 31);
    const [incident] = await all();
    expect(incident?.endedAt).toBe(rig.now - 30_000);
    expect(incident?.facts.hold?.endedAt).toBe(rig.now - 30_000);
  });

  it('end when their backend is removed, with an unknown end of the hold', async () => {
    rig.store('remote', { ...STUCK, namespace: 'away' });
    await watch(recorder(), 11);
    rig.remove('remote', 'away');
    await watch(recorder(['default']), 2);
    const [incident] = await all();
    expect(incident?.endedAt).not.toBeNull();
    expect(incident?.facts.hold).toMatchObject({ owner: 'w1' });
    expect(incident?.facts.hold?.endedAt).toBeUndefined();
  });

  it('are listed latest first, page by page, and removed 30 days after their end', async () => {
    const by = recorder();
    for (const name of ['a', 'b', 'c']) {
      rig.store(name, STUCK);
      await watch(by, 1);
    }
    const page = await incidents.list({ limit: 2 });
    expect(page.map(({ name }) => name)).toEqual(['c', 'b']);
    const before = page.at(-1)?.id ?? 0;
    expect((await incidents.list({ limit: 2, before })).map(({ name }) => name)).toEqual(['a']);
    rig.store('a', FINE);
    await watch(by, 31);
    rig.now += 30 * 24 * 3_600_000;
    await by.prune();
    expect((await all()).map(({ name }) => name)).toEqual(['c', 'b']);
  });

  it("keep the end of a lock's last incident for the day that a successor looks back", async () => {
    const by = recorder();
    const grantedAt = rig.now;
    const wrongAgain = async () => {
      rig.store('index', { ...STUCK, heldMs: rig.now - grantedAt, waitedMs: rig.now - grantedAt });
      await watch(by, 1);
      const { beganAt = 0 } = (await all())[0] ?? {};
      rig.store('index', FINE);
      await watch(by, 31);
      await by.prune();
      return beganAt;
    };
    rig.now += 120_000;
    await wrongAgain();
    const [first] = await all();
    expect(await wrongAgain()).toBe(first?.endedAt);
    rig.now += 24 * 3_600_000;
    await by.prune();
    expect(await wrongAgain()).toBe(grantedAt + 60_000);
  });

  it.runIf(dialect === 'sqlite')('finds the deaths of a lock by an index, unsorted', async () => {
    const { ask, plans } = queryPlans(database.raw.ask);
    const raw = { ...database.raw, ask };
    const key = { namespace: 'default', name: 'index' };
    await new IncidentTable({ ...database, raw }).deathsOf('default', key, 0, rig.now);
    expect(plans).toHaveLength(1);
    expect(plans[0]).toContain('USING INDEX incidents_lock (backend=? AND namespace=? AND name=?');
    expect(plans[0]).not.toContain('TEMP B-TREE');
  });
});
