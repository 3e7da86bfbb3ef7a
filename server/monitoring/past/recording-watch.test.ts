import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase } from '@/db/testing/test-database';
import { TestClock } from '../../platform/testing/test-clock';
import { aheadCursor, recordedCursor } from '../../storage/recorded-position';
import type { MonitoredBackend } from '../projection/monitored-backend';
import { MemoryHistory } from '../testing/memory-history';
import { RecordingWatch } from './recording-watch';

const AHEAD_MS = 1_000;

let database: Database;
beforeEach(async () => {
  database = await openTestDatabase('sqlite');
});
afterEach(() => database.close());

it('all is recorded up to the first commit that is not, by the clock of its backend', async () => {
  const store = new MemoryHistory();
  for (const [id, at] of [10_000, 20_000, 30_000].entries()) {
    store.rows.push({ id: id + 1, at: at + AHEAD_MS, changes: [] });
  }
  let reachable = true;
  const health = () => ({ reachable, clockOffsetMs: AHEAD_MS });
  const backends = [{ id: 'default', store, engine: { health } }] as unknown as MonitoredBackend[];
  const watch = new RecordingWatch(database, backends, new TestClock());
  const isRecorded = (...instants: number[]) =>
    Promise.all(instants.map((at) => watch.isRecordedUpTo(at)));
  const { db, tables } = database;
  expect(await isRecorded(9_999, 10_000)).toEqual([true, false]);
  await db.insert(tables.cursors).values({ id: recordedCursor('default'), position: 1 });
  expect(await isRecorded(19_999, 20_000)).toEqual([true, false]);
  await db.insert(tables.cursors).values({ id: aheadCursor('default'), position: 2 });
  expect(await isRecorded(29_999, 30_000)).toEqual([true, false]);
  reachable = false;
  expect(await isRecorded(30_000)).toEqual([true]);
});

it('what a shard committed before it left counts too, although it has no engine', async () => {
  const store = new MemoryHistory();
  store.rows.push({ id: 1, at: 10_000, changes: [] }, { id: 2, at: 20_000, changes: [] });
  const clock = new TestClock();
  const watch = new RecordingWatch(database, [{ id: 'shop.b', store }], clock);
  const { db, tables } = database;
  await db.insert(tables.cursors).values({ id: recordedCursor('shop.b'), position: 1 });
  expect(await watch.isRecordedUpTo(19_999)).toBe(true);
  expect(await watch.isRecordedUpTo(20_000)).toBe(false);
  const over = clock.monotonic() - 1;
  expect(await watch.untilRecorded(over)).toBe(false);
  await db.insert(tables.cursors).values({ id: aheadCursor('shop.b'), position: 2 });
  expect(await watch.untilRecorded(over)).toBe(true);
});
