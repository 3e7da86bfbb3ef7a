import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database, RawSql } from '@/db/database';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import { lockListInput } from '../../contract/console/console-inputs';
import { LogHistogram } from '../../core/statistics/log-histogram';
import { weekOf } from '../../core/statistics/minute-rollup';
import { DAY_MS, WEEK_MS } from '../../core/time-units';
import { release, takeLock } from '../../engine/testing/engine-rig';
import { TestClock } from '../../platform/testing/test-clock';
import { freshKey } from '../../storage/conformance/testing/changes';
import { sampledStores } from '../../storage/conformance/testing/stores-under-test';
import type { HistoryRow } from '../../storage/record-store';
import { EventTally } from '../metrics/event-tally';
import { type MonitoringMember, MonitoringRig } from '../testing/monitoring-rig';
import { HoldBaselines } from './hold-baselines';
import { RollUpWriter } from './roll-up-writer';
import { SHARES, shareOf } from './rollup-cursors';
import { addToWeek } from './rollup-rows';

/** A Monday: the week began on Thursday. */
const NOW = Date.UTC(2026, 10, 23, 12);

/** One backend, without shards. */
const ALONE = [{ id: 'default', publicId: 'default' }];

describe.each(TEST_DIALECTS)('how long each lock is held, in %s', (dialect) => {
  let database: Database;
  let clock: TestClock;
  let roller: RollUpWriter;
  let lastId: number;

  beforeEach(async () => {
    database = await openTestDatabase(dialect);
    clock = new TestClock(NOW);
    roller = new RollUpWriter(database, 'default', clock, new EventTally());
    await roller.begin(0);
    lastId = 0;
  });
  afterEach(() => database.close());

  const held = (
    names: string[],
    lengths: number[],
    at = clock.now(),
    kind: 'released' | 'forced' = 'released',
  ): HistoryRow => {
    lastId += 1;
    const changes = names.map((name) => ({
      key: { namespace: 'default', name },
      rev: lastId,
      events: lengths.map((heldMs) => ({
        kind,
        at,
        rev: lastId,
        service: 'orders',
        owner: 'w1',
        heldMs,
      })),
    }));
    return { id: lastId, at, changes };
  };
  const write = async (by: RollUpWriter, row: HistoryRow) => {
    await by.take([row], row.id);
    clock.pass(15_000);
    await by.take([], row.id);
  };
  const hold = (...holds: Parameters<typeof held>) => write(roller, held(...holds));
  const twenty = (heldMs: number) => Array.from({ length: 20 }, () => heldMs);
  const idOf = (name: string) => `default/default/${name}`;
  /** Where to write weeks of many locks directly, which is faster than to count their holds. */
  const target = (countedTo: number) => {
    const { kind, raw } = database;
    const moveCursor = async () => undefined;
    return { read: raw.ask, write: raw.ask, moveCursor, kind, backend: 'default', countedTo };
  };
  const twentyOf = (names: string[]) => {
    const holds = new LogHistogram();
    for (const heldMs of twenty(7)) holds.add(heldMs);
    return new Map(names.map((name) => [`default/${name}`, holds]));
  };

  it('comes from the holds of this and last week, and not from fewer than 20', async () => {
    const own = new HoldBaselines(database, ALONE, clock);
    const before = weekOf(NOW) - 1_000;
    await hold(['two-weeks'], twenty(100), before);
    await hold(['two-weeks'], twenty(100_000));
    await hold(['few'], twenty(5).slice(1));
    await hold(['old'], twenty(5), weekOf(NOW) - WEEK_MS - 1);
    await own.refresh();
    const found = own.of(idOf('two-weeks'));
    expect(found?.count).toBe(40);
    expect(Math.abs((found?.p50Ms ?? 0) / 100 - 1)).toBeLessThan(0.091);
    expect(Math.abs((found?.p99Ms ?? 0) / 100_000 - 1)).toBeLessThan(0.091);
    expect(own.of(idOf('few'))).toBeNull();
    expect(own.of(idOf('old'))).toBeNull();
    expect(own.of(idOf('never'))).toBeNull();
  });

  it('counts the holds of a lock that has moved to another shard at both', async () => {
    const both = [...ALONE, { id: 'default.2', publicId: 'default' }];
    const second = new RollUpWriter(database, 'default.2', clock, new EventTally());
    await second.begin(0);
    const own = new HoldBaselines(database, both, clock);
    await hold(['moved', 'left'], twenty(50));
    await write(second, held(['moved', 'new'], twenty(100_000)));
    await own.refresh();
    expect(own.of(idOf('moved'))?.count).toBe(40);
    expect(['left', 'new'].map((name) => own.of(idOf(name))?.count)).toEqual([20, 20]);
    await write(second, held(['moved'], twenty(100_000)));
    await own.refresh();
    expect(own.of(idOf('moved'))?.count).toBe(60);
    expect(own.ofNamespace('default')?.count).toBe(100);
  });

  it('excludes holds ended by operators, so that a stuck one does not hide the next', async () => {
    const own = new HoldBaselines(database, ALONE, clock);
    await hold(['a'], twenty(50));
    await hold(['a'], [2 * DAY_MS], clock.now(), 'forced');
    await hold(['b'], twenty(50), clock.now(), 'forced');
    await own.refresh();
    expect(own.of(idOf('a'))?.count).toBe(20);
    expect(own.of(idOf('a'))?.p99Ms).toBeLessThan(60);
    expect(own.of(idOf('b'))).toBeNull();
  });

  it('follows new holds, and starts again with each week', async () => {
    const own = new HoldBaselines(database, ALONE, clock);
    await hold(['a', 'b'], twenty(50));
    await own.refresh();
    await hold(['a'], twenty(50));
    expect(own.of(idOf('a'))?.count).toBe(20);
    await own.refresh();
    expect(own.of(idOf('a'))?.count).toBe(40);
    clock.pass(WEEK_MS);
    await hold(['a'], [50]);
    await own.refresh();
    expect(own.of(idOf('a'))?.count).toBe(41);
    expect(own.of(idOf('b'))?.count).toBe(20);
    clock.pass(WEEK_MS);
    await own.refresh();
    expect(own.of(idOf('a'))).toBeNull();
    expect(own.of(idOf('b'))).toBeNull();
  });

  it('is known of every lock, although they are read page by page', async () => {
    const names = Array.from({ length: 4_100 }, (_, i) => `lock-${i}`);
    for (let i = 0; i < 5; i += 1) {
      await addToWeek(target(i + 1), weekOf(NOW), twentyOf(names.slice(i * 820, (i + 1) * 820)));
    }
    const own = new HoldBaselines(database, ALONE, clock);
    await own.refresh();
    expect(names.filter((name) => own.of(idOf(name))?.count !== 20)).toEqual([]);
  });

  it('is known of both weeks of every lock, wherever a page of them ends', async () => {
    const week = weekOf(NOW);
    const names = Array.from({ length: 2_500 }, (_, i) => `lock-${i}`);
    for (const of of [week - WEEK_MS, week]) await addToWeek(target(1), of, twentyOf(names));
    // The last of all rows: the pages before it end between the two weeks of a lock.
    await addToWeek(target(2), week, twentyOf(['newest']));
    const own = new HoldBaselines(database, ALONE, clock, { locksMax: 2_501 });
    await own.refresh();
    expect(names.filter((name) => own.of(idOf(name))?.count !== 40)).toEqual([]);
  });

  it('is known if another process counts what the previous one left behind', async () => {
    const own = new HoldBaselines(database, ALONE, clock);
    const shareAt = (name: string) => shareOf(`default/${name}`).share;
    const names = Array.from({ length: 20_000 }, (_, i) => `lock-${i}`);
    const together = names.filter((name) => shareAt(name) === (shareAt('behind') + 1) % SHARES);
    const behind = held(['behind'], twenty(7));
    // So many rows of one share are written alone.
    await roller.take([behind, held(together, [7])], lastId);
    await own.refresh();
    const heir = new RollUpWriter(database, 'default', clock, new EventTally());
    await heir.begin(0);
    await write(heir, behind);
    await own.refresh();
    expect(own.of(idOf('behind'))?.count).toBe(20);
  });

  it('is known if another process continues after one that ended between two parts', async () => {
    const own = new HoldBaselines(database, ALONE, clock);
    const names = Array.from({ length: 3_000 }, (_, i) => `lock-${i}`);
    const first = held(names, [7]);
    const others = [held(['a'], twenty(7)), held(names, [7])];
    let left = SHARES + 3;
    const step = () => {
      left -= 1;
      if (left < 0) throw new Error('Ended.');
    };
    const raw: RawSql = {
      ask: database.raw.ask,
      async batch(...args) {
        step();
        return database.raw.batch(...args);
      },
      async transaction(work) {
        step();
        return database.raw.transaction(work);
      },
    };
    const ending = Object.create(database, { raw: { value: raw } }) as Database;
    const ended = new RollUpWriter(ending, 'default', clock, new EventTally());
    await ended.begin(0);
    clock.pass(15_000);
    await expect(ended.take([first, ...others], lastId)).rejects.toThrow('Ended.');
    await own.refresh();
    const heir = new RollUpWriter(database, 'default', clock, new EventTally());
    await heir.begin(0);
    await write(heir, first);
    await write(heir, others[0] as HistoryRow);
    await own.refresh();
    expect(own.of(idOf('a'))?.count).toBe(20);
  });

  it('is kept for the most recently changed locks, if there are too many', async () => {
    const own = new HoldBaselines(database, ALONE, clock, { locksMax: 3 });
    for (const name of ['a', 'b', 'c', 'd']) await hold([name], twenty(7));
    await own.refresh();
    const kept = () => ['a', 'b', 'c', 'd', 'e'].filter((name) => own.of(idOf(name)));
    expect(kept()).toEqual(['b', 'c', 'd']);
    await hold(['b'], twenty(7));
    await hold(['e'], twenty(7));
    await own.refresh();
    expect(kept()).toEqual(['b', 'd', 'e']);
  });

  it('is news of every lock, even if the database fails in the middle of a reading', async () => {
    const otherWriter = new RollUpWriter(database, 'other', clock, new EventTally());
    await otherWriter.begin(0);
    const news: string[] = [];
    let isFailing = false;
    const ask: RawSql['ask'] = async (sql, values) => {
      if (isFailing && values[0] === 'other') throw new Error('Gone.');
      return database.raw.ask(sql, values);
    };
    const raw = { value: { ...database.raw, ask } };
    const stores = [...ALONE, { id: 'other', publicId: 'other' }];
    const own = new HoldBaselines(Object.create(database, { raw }), stores, clock);
    own.onChange((id) => news.push(id));
    await own.refresh();
    await hold(['a'], twenty(7));
    await hold(['b'], twenty(7));
    await write(otherWriter, held(['c'], twenty(7)));
    isFailing = true;
    await expect(own.refresh()).rejects.toThrow('Gone.');
    isFailing = false;
    await own.refresh();
    expect(news.sort()).toEqual([idOf('a'), idOf('b'), 'other/default/c']);
    expect(own.ofNamespace('default')?.count).toBe(60);
  });

  it('comes from both weeks even for a lock that was dropped and is used again', async () => {
    const own = new HoldBaselines(database, ALONE, clock, { locksMax: 2 });
    await hold(['a'], twenty(7), weekOf(NOW) - 1_000);
    for (const name of ['b', 'c']) await hold([name], twenty(7));
    await own.refresh();
    expect(own.of(idOf('a'))).toBeNull();
    await hold(['a'], [7]);
    await own.refresh();
    expect(own.of(idOf('a'))?.count).toBe(21);
    expect(own.ofNamespace('default')?.count).toBe(41);
  });

  it('is known for a namespace, all its locks together, whatever is added or dropped', async () => {
    const own = new HoldBaselines(database, ALONE, clock, { locksMax: 3 });
    await hold(['a', 'b'], twenty(10).slice(10));
    await own.refresh();
    expect(own.of(idOf('a'))).toBeNull();
    expect(own.ofNamespace('default')).toMatchObject({ count: 20 });
    expect(own.ofNamespace('other')).toBeNull();
    await hold(['a'], twenty(1_000));
    await own.refresh();
    await own.refresh();
    const all = own.ofNamespace('default');
    expect(all?.count).toBe(40);
    expect(Math.abs((all?.p99Ms ?? 0) / 1_000 - 1)).toBeLessThan(0.091);
    await hold(['c', 'd'], twenty(5));
    await own.refresh();
    expect(own.ofNamespace('default')?.count).toBe(70);
    clock.pass(2 * WEEK_MS);
    await own.refresh();
    expect(own.ofNamespace('default')).toBeNull();
  });
});

describe.each(sampledStores)('the lock list over %s', (name) => {
  let rig: MonitoringRig;
  afterEach(() => rig.close());

  const soon = (look: () => void | Promise<void>) =>
    vi.waitFor(look, { timeout: 20_000, interval: 50 });

  /** A lock that was held 25 times, which are all counted. */
  const heldOften = async (worker: MonitoringMember) => {
    const key = freshKey();
    for (let i = 0; i < 25; i += 1) {
      const { token } = await takeLock(worker, key, 'w1');
      await release(worker, key, 'w1', token);
    }
    const { raw } = rig.engines.under.database;
    await soon(async () => {
      const { rows } = await raw.ask('SELECT holds FROM lock_weeks', []);
      const counts = rows.map(([text]) => LogHistogram.decode(String(text)).count);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(25);
    });
    return key;
  };
  const listed = async ({ monitoring }: MonitoringMember) => {
    const { rows } = await monitoring.projection.page(lockListInput.parse({}));
    return new Map(rows.map((row) => [row.name, row]));
  };

  it('shows the usual hold time of each lock as soon as a process begins', async () => {
    rig = await MonitoringRig.open(name);
    const worker = await rig.watch();
    const other = freshKey();
    await takeLock(worker, other, 'w1');
    const key = await heldOften(worker);
    const begun = await rig.watch();
    await soon(async () => {
      const found = await listed(begun);
      expect(found.get(key.name)?.ownHold).toMatchObject({ count: 25 });
      expect(found.get(other.name)?.ownHold).toBeNull();
    });
    const { row } = await begun.monitoring.projection.detail(key.namespace, key.name);
    expect(row.ownHold?.count).toBe(25);
  });

  it('shows it even if a process reads it later than the locks', async () => {
    rig = await MonitoringRig.open(name);
    const worker = await rig.watch();
    const key = await heldOften(worker);
    await takeLock(worker, key, 'w1', { leaseMs: 3_600_000 });
    let answer = () => {};
    const late = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { database } = rig.engines.under;
    const ask: RawSql['ask'] = async (sql, values) => {
      if (sql.includes('FROM lock_weeks')) await late;
      return database.raw.ask(sql, values);
    };
    const raw = { value: { ...database.raw, ask } };
    const begun = await rig.watch({ database: Object.create(database, { raw }) });
    await soon(async () => expect((await listed(begun)).get(key.name)?.status).toBe('held'));
    answer();
    await soon(async () => {
      expect((await listed(begun)).get(key.name)?.ownHold).toMatchObject({ count: 25 });
    });
  });
});
