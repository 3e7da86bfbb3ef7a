import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import type { CounterEvent } from '../../core/counter/counter-event';
import { MINUTE_MS } from '../../core/time-units';
import { NameCount } from '../../engine/names/name-count';
import { TestClock } from '../../platform/testing/test-clock';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import { eventRows, insertionsOf } from '../history/recorder/event-rows';
import { CounterProjection } from '../projection/counter-projection';
import { type MonitoredBackend, publicHealths } from '../projection/monitored-backend';
import { rowId } from '../projection/projection-row';
import { PastCounters } from './past-counters';

const NOW = Date.UTC(2026, 10, 20, 8);
/** The clock of the backend minus that of the server. */
const AHEAD_MS = 7_000;
const [BEFORE, THEN, SINCE] = [NOW - 3 * MINUTE_MS, NOW - 2 * MINUTE_MS, NOW - MINUTE_MS];

describe.each(TEST_DIALECTS)('the counters of the past, in %s', (dialect) => {
  let database: Database;
  let counters: CounterProjection;
  let past: PastCounters;
  let pastOf: (of: Database) => PastCounters;
  let rev = 0;
  let silentForMs = 0;
  let wholeAheadMs = AHEAD_MS;
  let notRecordedFrom = NOW;
  beforeEach(async () => {
    silentForMs = 0;
    wholeAheadMs = AHEAD_MS;
    notRecordedFrom = NOW;
    database = await openTestDatabase(dialect);
    const clock = new TestClock(NOW);
    const health = () => ({
      ...{ id: 'default', clockOffsetMs: wholeAheadMs },
      shards: [{ id: 'default.a', reachable: true, clockOffsetMs: AHEAD_MS }],
      ...{ reachable: silentForMs === 0, silentForMs },
    });
    const backends = [{ id: 'default', engine: { health } }] as unknown as MonitoredBackend[];
    const names = new NameCount(() => clock.monotonic());
    const namespaces = { get: async () => ({ backend: 'default' }) };
    const stores = { isKnown: () => true, publicHealths };
    counters = new CounterProjection(backends, clock, namespaces, names, stores);
    pastOf = (of) =>
      new PastCounters({
        database: of,
        counters,
        check: async (at) => ({ at, since: 0 }),
        recording: {
          untilRecorded: async () => true,
          isRecordedUpTo: async (at) => at < notRecordedFrom,
        },
        offsetOf: () => AHEAD_MS,
        clock,
      });
    past = pastOf(database);
  });
  afterEach(() => database.close());

  const record = async (key: RecordKey, event: Omit<CounterEvent, 'rev' | 'service'>) => {
    rev += 1;
    const events = [{ ...event, at: event.at + AHEAD_MS, rev, service: 'shop' }];
    const commit = { id: rev, at: event.at, changes: [{ key, rev, events }] };
    await database.raw.batch(insertionsOf(dialect, eventRows('default', [commit])), false);
  };
  /** Creates a counter, in place of a former one of that name if there is one. */
  const create = async (name: string, at: number, value = 10, storeId = 'default') => {
    const key = { namespace: 'shop', name, kind: 'counter' as const };
    await record(key, { kind: 'created', at, value });
    const createdAt = at + AHEAD_MS;
    const bounds = { floor: null, ceiling: null, lastMove: null };
    const place = { backend: 'default', storeId, rev, readAt: NOW + AHEAD_MS };
    const id = rowId('default', recordId(key));
    const searchText = `shop/${name}`;
    counters.table.store({ id, ...key, ...place, ...bounds, value, createdAt, searchText });
    return key;
  };
  /** An entry of the audit log about a deletion that took a second. */
  const remove = async (
    subject: string,
    at: number,
    names: string[],
    deleted = names.length,
    chosen?: string[],
  ) => {
    const { db, tables } = database;
    const who = { actor: 'ana', actorKind: 'user', address: '', reason: 'sold out' } as const;
    const seen = JSON.stringify({ names: chosen, atMost: deleted });
    const result = JSON.stringify({ deleted, kept: 0, changed: 0, names });
    const what = { act: 'counter.delete', namespace: 'shop', subject, outcome: 'done' };
    const intent = `${subject} ${at}`;
    const times = { at: at - 1_000, closedAt: at };
    await db.insert(tables.audit).values({ intent, ...who, ...what, ...times, seen, result });
  };
  const page = async (limit: number, search?: string) => {
    const found = await past.page(THEN, { limit, ...(search && { search }) });
    const { matching, total } = found;
    return { names: found.rows.map(({ name }) => name), matching, total };
  };

  it('fill a page with those that existed then, however many were created since', async () => {
    for (let i = 0; i < 30; i += 1) await create(`a${i}`, SINCE);
    for (const name of ['b1', 'b2', 'b3']) await create(name, BEFORE);
    expect(await page(2)).toEqual({ names: ['b1', 'b2'], matching: 3, total: 3 });
    expect(await page(2, 'b3')).toEqual({ names: ['b3'], matching: 1, total: 3 });
    expect(await page(2, 'a')).toEqual({ names: [], matching: 0, total: 3 });
  });

  it("have no known value at instants since their backend's last answer", async () => {
    await create('stock', BEFORE, 3);
    const known = async () => (await past.page(THEN, { limit: 1 })).rows;
    expect(await known()).toMatchObject([{ value: 3, isKnown: true }]);
    silentForMs = NOW - THEN - 1;
    expect(await known()).toMatchObject([{ value: 3, isKnown: true }]);
    silentForMs = NOW - THEN + 1;
    expect(await known()).toMatchObject([{ value: 3, isKnown: false }]);
  });

  it('may be incomplete at an instant that a recorder far behind has not reached', async () => {
    notRecordedFrom = SINCE;
    const isLagging = async (at: number) => (await past.page(at, { limit: 1 })).past.isLagging;
    expect(await isLagging(THEN)).toBe(false);
    expect(await isLagging(SINCE)).toBe(true);
  });

  it('include an earlier counter of that name, even if it was created again since', async () => {
    await create('again', BEFORE, 3);
    await create('again', SINCE, 9);
    await create('another', SINCE);
    await create('old', BEFORE);
    expect(await page(10)).toEqual({ names: ['again', 'old'], matching: 2, total: 2 });
    const { rows } = await past.page(THEN, { limit: 1 });
    expect(rows).toMatchObject([{ name: 'again', value: 3 }]);
  });

  it('have the values of that instant by the clock of their shard', async () => {
    wholeAheadMs = AHEAD_MS + 10 * MINUTE_MS;
    await create('stock', BEFORE, 3, 'default.a');
    await create('stock', SINCE, 9, 'default.a');
    const { rows } = await past.page(THEN, { limit: 1 });
    expect(rows).toMatchObject([{ shard: 'default.a', value: 3, readAt: THEN + AHEAD_MS }]);
  });

  it('omit a counter from its deletion until one of its name was created', async () => {
    const [deletedAt, name] = [THEN - 30_000, 'again'];
    for (const each of [name, 'kept', 'seat 1', 'hall 1']) await create(each, BEFORE, 3);
    await remove(name, deletedAt, [name]);
    await remove('kept', BEFORE - 5_000, ['kept']);
    await remove('seat*', deletedAt, [], 150);
    for (const each of [name, 'kept', 'seat 1', 'hall 1']) await create(each, SINCE, 9);
    expect(await page(10)).toEqual({ names: ['hall 1', 'kept'], matching: 2, total: 2 });
    const key = { namespace: 'shop', name, kind: 'counter' } as const;
    const one = (at: number) => past.counter(at, key);
    await expect(one(THEN)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    const { rows } = await past.page(deletedAt - 1, { limit: 10, search: name });
    expect(rows).toMatchObject([{ name, value: 3 }]);
    const added = { kind: 'added', at: deletedAt - 500, value: 4, delta: 1 } as const;
    await record(key, added);
    await expect(one(THEN)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  it('omit all chosen for a deletion, of which the audit log lists only the first', async () => {
    for (const name of ['seat 1', 'seat 2', 'seat 3']) await create(name, BEFORE);
    await remove('150 names', THEN - 30_000, ['seat 1'], 150, ['seat 1', 'seat 2']);
    for (const name of ['seat 1', 'seat 2', 'seat 3']) await create(name, SINCE);
    expect((await page(10)).names).toEqual(['seat 3']);
  });

  it.runIf(dialect === 'mysql')('are read without all steps before the last limits', async () => {
    const key = await create('busy', BEFORE);
    const steps = Array.from({ length: 500 }, (_, i) => {
      const event = { kind: 'added', at: BEFORE + AHEAD_MS + i, value: 11 + i, delta: 1 } as const;
      const events = [{ ...event, rev: rev + 1 + i, service: 'shop' }];
      return { id: rev + 1 + i, at: event.at, changes: [{ key, rev: rev + 1 + i, events }] };
    });
    await database.raw.batch(insertionsOf(dialect, eventRows('default', steps)), false);
    rev += steps.length;
    await record(key, { kind: 'rebound', at: THEN - 1, value: 510, floor: 0, ceiling: 900 });
    const read = await database.raw.transaction(async (ask) => {
      const raw = { ...database.raw, ask };
      await ask('FLUSH STATUS', []);
      const { rows } = await pastOf(Object.assign(Object.create(database), { raw })).page(THEN, {
        limit: 10,
      });
      expect(rows).toMatchObject([{ value: 510, ceiling: 900, lastMove: { delta: 1 } }]);
      const found = await ask("SHOW SESSION STATUS LIKE 'Handler_read%'", []);
      return found.rows.reduce((sum, [, count]) => sum + Number(count), 0);
    });
    expect(read).toBeLessThan(100);
  });

  it('take no longer where the earlier counter of a name had very many steps', async () => {
    const takesMs = async (search: string) => {
      const from = performance.now();
      expect(await page(1, search)).toMatchObject({ matching: 1 });
      return performance.now() - from;
    };
    for (const name of ['quiet', 'busy']) await create(name, BEFORE);
    const id = recordId({ namespace: 'shop', name: 'busy', kind: 'counter' });
    for (let first = 1; first <= 60_000; first += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_, i) => [
        ...['other', first + i, 0, id, BEFORE + first + i, 0, 'added', '[1,["added",0]]', -1],
      ]);
      await database.raw.batch(insertionsOf(dialect, rows), false);
    }
    for (const name of ['quiet', 'busy']) await create(name, SINCE);
    let [quietMs, busyMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    // A busy machine can delay many in a row, but not the quickest of many.
    for (let i = 0; i < 15 || (busyMs >= 4 * quietMs && i < 150); i += 1) {
      quietMs = Math.min(quietMs, await takesMs('quiet'));
      busyMs = Math.min(busyMs, await takesMs('busy'));
    }
    expect(busyMs).toBeLessThan(4 * quietMs);
  });
});
