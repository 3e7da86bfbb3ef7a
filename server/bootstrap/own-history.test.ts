import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { cycle } from '../engine/testing/engine-rig';
import { eventsOf } from '../monitoring/history/bundled-events';
import type { Runtime } from '../operations/operation-context';
import { systemClock } from '../platform/clock';
import { MysqlStore } from '../storage/mysql/mysql-store';
import { recordId } from '../storage/record-id';
import type { HistoryRow } from '../storage/record-store';
import { SqliteStore } from '../storage/sqlite/sqlite-store';
import { readConfig } from './config/config';
import { createRuntime } from './create-runtime';
import { BACKEND, NAMESPACE, ShardRig } from './testing/shard-rig';

const SOON = { timeout: 20_000, interval: 50 };
const HOLDS = 40;

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** All that is read from the history of stores of this kind from now on. */
function watchReads(kind: { prototype: SqliteStore | MysqlStore }): HistoryRow[] {
  const read: HistoryRow[] = [];
  const { historyAfter } = kind.prototype;
  vi.spyOn(kind.prototype, 'historyAfter').mockImplementation(async function (
    this: SqliteStore | MysqlStore,
    ...asked
  ) {
    const rows = await historyAfter.apply(this, asked);
    read.push(...rows);
    return rows;
  });
  return read;
}

/** Acquires and releases a lock many times, until all of it is recorded. */
async function holdUntilRecorded(runtime: Runtime, backend: string, namespace: string) {
  const { database, engines, historyLags } = runtime;
  await expect.poll(() => historyLags().length, SOON).toBeGreaterThan(0);
  const engine = engines.get(backend);
  if (!engine) throw new Error(`There is no backend "${backend}".`);
  const key = { namespace, name: 'stock' };
  for (let i = 0; i < HOLDS; i += 1) await cycle({ engine }, key, 'w1');
  const recorded = async () => {
    const sql = 'SELECT history_id, place, body FROM lock_events WHERE lock_id = ?';
    const { rows } = await database.raw.ask(sql, [recordId(key)]);
    return rows.flatMap((row) => eventsOf(row)).length;
  };
  await expect.poll(recorded, SOON).toBe(2 * HOLDS);
}

/** How many commits on the lock were read. */
const readOf = (read: HistoryRow[]) =>
  read.filter(({ changes }) => changes.some(({ key }) => key.name === 'stock')).length;

/** A tail may come between a commit and its answer, or late on a busy machine. */
const FEW = HOLDS;
const OPTIONS = { retry: 2 };

test(
  'a process records what it has committed to its SQLite without reading it',
  OPTIONS,
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'lockyard-'));
    cleanUps.push(() => rm(dataDir, { recursive: true, force: true }));
    const config = readConfig({ LOCKYARD_DATA_DIR: dataDir });
    const read = watchReads(SqliteStore);
    const runtime = await createRuntime(config, pino({ level: 'silent' }), systemClock);
    cleanUps.push(() => runtime.close());
    await holdUntilRecorded(runtime, 'default', 'default');
    expect(readOf(read)).toBeLessThan(FEW);
  },
);

test(
  'a process records what it has committed to its shards without reading it',
  OPTIONS,
  async () => {
    const rig = await ShardRig.open(2);
    cleanUps.push(() => rig.close());
    const read = watchReads(MysqlStore);
    const runtime = await rig.serve(rig.listOf([0, 1]));
    await holdUntilRecorded(runtime, BACKEND, NAMESPACE);
    expect(readOf(read)).toBeLessThan(FEW);
  },
);
