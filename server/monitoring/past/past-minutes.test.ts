import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import { emptyRollup, type MinuteRollup } from '../../core/statistics/minute-rollup';
import { recordId } from '../../storage/record-id';
import { TimeSlice } from '../lock-list/order/time-slice';
import { ALL_LOCKS, addToMinute } from '../rollups/rollup-rows';
import { readPastMinute } from './past-minutes';

const MINUTE = Date.UTC(2026, 10, 20, 8);
const AT = MINUTE + 40_000;

describe.each(TEST_DIALECTS)('the roll-ups of a past minute, in %s', (dialect) => {
  let database: Database;
  let offsets: Record<string, number>;
  beforeAll(async () => {
    database = await openTestDatabase(dialect);
  });
  beforeEach(async () => {
    offsets = {};
    await database.raw.ask('DELETE FROM lock_minutes', []);
  });
  afterAll(() => database.close());

  const idOf = (name: string) => recordId({ namespace: 'shop', name });
  const store = (backend: string, minute: number, locks: Record<string, Partial<MinuteRollup>>) => {
    const { ask } = database.raw;
    const rollups = Object.entries(locks).map(([name, counts]) => {
      const id = name === ALL_LOCKS ? ALL_LOCKS : idOf(name);
      return [id, { ...emptyRollup(minute), ...counts }] as const;
    });
    const place = { kind: database.kind, backend, countedTo: 0, moveCursor: async () => undefined };
    return addToMinute({ ...place, read: ask, write: ask }, minute, new Map(rollups));
  };
  const read = (publicIds: Record<string, string>, of = database) =>
    readPastMinute({
      database: of,
      publicIds: new Map(Object.entries(publicIds)),
      offsetOf: (backend) => offsets[backend] ?? 0,
      at: AT,
      slice: new TimeSlice(() => performance.now()),
    });

  it('are of the minute that each backend had then', async () => {
    offsets = { ahead: 30_000 };
    await store('near', MINUTE, { a: { grants: 1 } });
    await store('near', MINUTE + 60_000, { a: { grants: 2 } });
    await store('ahead', MINUTE, { b: { grants: 3 } });
    await store('ahead', MINUTE + 60_000, { b: { grants: 4 } });
    await store('removed', MINUTE, { c: { grants: 5 } });
    await store('removed', MINUTE + 60_000, { c: { grants: 6 } });
    const found = await read({ near: 'near', ahead: 'ahead' });
    expect(found?.minute).toBe(MINUTE);
    expect(found?.rows.map(({ name, backend, grants }) => [name, backend, grants])).toEqual([
      ['c', 'removed', 5],
      ['b', 'ahead', 4],
      ['a', 'near', 1],
    ]);
  });

  it('name the locks with the most grants, however many there are', async () => {
    const names = Array.from({ length: 1_700 }, (_, i) => `lock:${i}`);
    const grants = (i: number) => ({ grants: 1 + ((i * 7) % 1_700) });
    await store('one', MINUTE, Object.fromEntries(names.map((name, i) => [name, grants(i)])));
    await store('one', MINUTE, { [ALL_LOCKS]: { grants: 1_000_000 } });
    await store('two', MINUTE, Object.fromEntries(names.map((name) => [name, { grants: 1 }])));
    const found = await read({ one: 'one', two: 'two' });
    const expected = Array.from({ length: 200 }, (_, i) => 1_700 - i);
    expect(found?.rows.map((row) => row.grants)).toEqual(expected);
    expect(found?.areMore).toBe(true);
  });

  it('are one row for a lock that moved to another shard', async () => {
    const rollup = emptyRollup(MINUTE);
    rollup.holds.add(5_000);
    await store('main/0', MINUTE, { moved: { grants: 3, timeouts: 1, holds: rollup.holds } });
    await store('main/1', MINUTE, { moved: { grants: 4, forced: 2 }, other: { grants: 5 } });
    const found = await read({ 'main/0': 'main', 'main/1': 'main' });
    expect(found?.areMore).toBe(false);
    expect(found?.rows).toEqual([
      expect.objectContaining({
        ...{ backend: 'main', namespace: 'shop', name: 'moved' },
        ...{ grants: 7, timeouts: 1, expiries: 0, forced: 2, waitP99Ms: null },
        holdP99Ms: rollup.holds.quantile(0.99),
      }),
      expect.objectContaining({ name: 'other', grants: 5 }),
    ]);
  });

  it.runIf(dialect === 'mysql')('are read page by page without a search', async () => {
    const names = Array.from({ length: 2_000 }, (_, i) => `lock:${i}`);
    const locks = Object.fromEntries(names.map((name) => [name, { grants: 1 }]));
    for (const backend of ['one', 'two', 'three']) await store(backend, MINUTE, locks);
    const examined = await database.raw.transaction(async (ask) => {
      const raw = { ...database.raw, ask };
      await ask('FLUSH STATUS', []);
      await read({}, Object.assign(Object.create(database), { raw }));
      // Entries of the index that MariaDB has compared with the condition.
      const { rows } = await ask("SHOW SESSION STATUS LIKE 'Handler_icp_attempts'", []);
      return Number(rows[0]?.[1] ?? 0);
    });
    expect(examined).toBeLessThan(2 * 3 * 2_000);
  });

  it('are null if no lock was counted', async () => {
    await store('one', MINUTE + 60_000, { a: { grants: 1 } });
    expect(await read({ one: 'one' })).toBeNull();
  });
});
