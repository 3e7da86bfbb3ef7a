import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import type { CounterEvent } from '../../core/counter/counter-event';
import { MINUTE_MS } from '../../core/time-units';
import { newSeed, seeded } from '../../engine/testing/seeded';
import { TestClock } from '../../platform/testing/test-clock';
import type { HistoryRow } from '../../storage/record-store';
import { insertRows } from '../history/insert-rows';
import { EventTally } from '../metrics/event-tally';
import { CounterHistory } from './counter-history';
import { readCounterMinutes } from './counter-minute-rows';
import { RollUpWriter } from './roll-up-writer';

const NOW = Date.UTC(2026, 10, 20, 8);
const COUNTERS = 150;
const nameOf = (index: number) => `stock:${index}`;
const idOf = (index: number) => `shop#${nameOf(index)}`;
const MOST = Number.MAX_SAFE_INTEGER;

describe.each(TEST_DIALECTS)('the roll-ups of counters, in %s', (dialect) => {
  let database: Database;
  let clock: TestClock;
  let backend = 0;
  beforeAll(async () => {
    database = await openTestDatabase(dialect);
  });
  beforeEach(() => {
    clock = new TestClock(NOW);
    backend += 1;
  });
  afterAll(() => database.close());

  const storeId = () => `store-${backend}`;
  const begin = async () => {
    const writer = new RollUpWriter(database, storeId(), clock, new EventTally());
    await writer.begin(0);
    return writer;
  };
  const added = (id: number, index: number, delta: number, value: number): HistoryRow => {
    const at = clock.now();
    const event = { kind: 'added' as const, at, rev: id, service: 'shop', value, delta };
    const key = { namespace: 'shop', name: nameOf(index), kind: 'counter' as const };
    return { id, at, changes: [{ key, rev: id, events: [event] }] };
  };

  it('are sums of all steps, each counted once, despite restarts and repeated rows', async () => {
    const seed = newSeed();
    console.info(`seed ${seed}`);
    const random = seeded(seed);
    const values = new Map<number, number>();
    const expected = new Map<string, number[]>();
    const history: HistoryRow[] = [];
    let writer = await begin();
    for (let round = 0; round < 8; round += 1) {
      for (let i = 0; i < 50; i += 1) {
        const index = Math.floor(random() * COUNTERS);
        const delta = Math.floor(random() * 41) - 20 || 1;
        const value = (values.get(index) ?? 0) + delta;
        values.set(index, value);
        history.push(added(history.length + 1, index, delta, value));
        const key = `${Math.floor(clock.now() / MINUTE_MS) * MINUTE_MS} ${idOf(index)}`;
        const [changes = 0, up = 0, down = 0] = expected.get(key) ?? [];
        const sums = [changes + 1, up + Math.max(0, delta), down + Math.max(0, -delta), value];
        expected.set(key, sums);
      }
      if (random() < 0.4) writer = await begin();
      const again = Math.max(0, history.length - 60 - Math.floor(random() * 200));
      const from = history.findIndex(({ id }) => id > Math.min(again, writer.position));
      await writer.take(history.slice(from), history.length);
      clock.pass(random() < 0.5 ? 16_000 : 3_000);
      if (random() < 0.7) await writer.take([], history.length);
    }
    writer = await begin();
    await writer.take(
      history.filter(({ id }) => id > writer.position),
      history.length,
    );
    clock.pass(20_000);
    await writer.take([], history.length);
    const found = new Map<string, number[]>();
    for (let i = 0; i < COUNTERS; i += 50) {
      const ids = Array.from({ length: 50 }, (_, j) => idOf(i + j));
      const read = await readCounterMinutes(database.raw.ask, storeId(), ids, 0);
      for (const [id, minutes] of read) {
        for (const { minute, changes, added: up, removed, value } of minutes) {
          found.set(`${minute} ${id}`, [changes, up, removed, value]);
        }
      }
    }
    expect(found).toEqual(expected);
  });

  it('stay exact with the largest steps, and are written whatever the sum', async () => {
    const writer = await begin();
    for (let id = 1; id <= 4; id += 1) {
      await writer.take([added(id, 0, MOST, MOST)], id);
      clock.pass(1_500);
      await writer.take([], id);
    }
    const read = await readCounterMinutes(database.raw.ask, storeId(), [idOf(0)], 0);
    expect(read.get(idOf(0))).toEqual([
      { minute: NOW, changes: 4, added: MOST, removed: 0, value: MOST },
    ]);
  });

  it.each([
    ['in an earlier write', 5_000],
    ['in the same write', 0],
  ])(
    'leave out a deleted counter of the same name and minute that is counted %s',
    async (_, pauseMs) => {
      const writer = await begin();
      const created: CounterEvent = {
        ...{ kind: 'created', at: NOW, rev: 2, service: 'shop', value: 7 },
        ...{ floor: 0, ceiling: null },
      };
      const key = { namespace: 'shop', name: nameOf(0), kind: 'counter' as const };
      await writer.take([added(1, 0, 40, 90)], 1);
      clock.pass(pauseMs);
      await writer.take([], 1);
      await writer.take([{ id: 2, at: NOW, changes: [{ key, rev: 2, events: [created] }] }], 2);
      await writer.take([added(3, 0, -3, 4)], 3);
      clock.pass(5_000);
      await writer.take([added(4, 0, 2, 6)], 4);
      clock.pass(5_000);
      await writer.take([], 4);
      const read = await readCounterMinutes(database.raw.ask, storeId(), [idOf(0)], 0);
      expect(read.get(idOf(0))).toEqual([
        { minute: NOW, changes: 2, added: 2, removed: 3, value: 6 },
      ]);
    },
  );

  it('are returned for a list and for one, up to now by the clock of each counter', async () => {
    const writer = await begin();
    await writer.take([added(1, 0, 5, 5), added(2, 1, -2, 8)], 2);
    clock.pass(15_000);
    await writer.take([], 2);
    const row = (index: number) => ({
      id: `main/${idOf(index)}`,
      ...{ namespace: 'shop', name: nameOf(index), backend: 'main', createdAt: 0 },
    });
    const rows = [row(0), row(1), row(2)];
    const counters = {
      livePage: async () => ({ rows }),
      row: (_: string, name: string) => rows.find((each) => each.name === name) ?? null,
    };
    const history = new CounterHistory(
      database,
      counters as never,
      () => [storeId(), 'gone'],
      ({ id }) => (id === row(1).id ? 30_000 : 0),
      clock,
    );
    const courses = await history.ofList({ limit: 500 });
    const ends = [row(0), row(1)].map(({ id }) => courses[id]?.points.at(-1)?.at);
    expect(ends).toEqual([clock.now(), clock.now() + 30_000]);
    expect(Object.keys(courses)).toEqual([row(0).id, row(1).id]);
    expect(courses[row(1).id]?.points[0]?.value).toBe(10);
    expect((await history.ofOne('shop', nameOf(0)))?.points.at(-1)?.value).toBe(5);
    expect(await history.ofOne('shop', nameOf(2))).toBeNull();
    expect(await history.ofOne('shop', 'never')).toBeNull();
  });

  it('are read in parts for a long list, as on SQLite a read blocks this process', async () => {
    const rows = Array.from({ length: 25 }, (_, index) => ({
      id: `main/${idOf(index)}`,
      ...{ namespace: 'shop', name: nameOf(index), backend: 'main', createdAt: 0 },
    }));
    const columns = ['backend', 'counter_id', 'minute', 'changes', 'added', 'removed', 'value'];
    for (const [index] of rows.entries()) {
      const minutes = Array.from({ length: 60 }, (_, i) => NOW - i * MINUTE_MS);
      const values = minutes.map((minute) => [storeId(), idOf(index), minute, 1, 1, 0, 5]);
      await insertRows(database.raw.ask, 'counter_minutes', columns, values);
    }
    const ask = vi.spyOn(database.raw, 'ask');
    const counters = { livePage: async () => ({ rows }), row: () => null };
    const stores = () => [storeId()];
    const history = new CounterHistory(database, counters as never, stores, () => 0, clock);
    expect(Object.keys(await history.ofList({ limit: 500 }))).toHaveLength(rows.length);
    const answers = await Promise.all(ask.mock.results.map(({ value }) => value));
    expect(Math.max(...answers.map((answer) => answer.rows.length))).toBeLessThan(1_000);
    ask.mockRestore();
  });
});
