import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { release, takeLock } from '../engine/testing/engine-rig';
import { eventsOf } from '../monitoring/history/bundled-events';
import type { Runtime } from '../operations/operation-context';
import { systemClock } from '../platform/clock';
import { MysqlStore } from '../storage/mysql/mysql-store';
import { recordId } from '../storage/record-id';
import { SqliteStore } from '../storage/sqlite/sqlite-store';
import { readConfig } from './config/config';
import { createRuntime } from './create-runtime';
import { BACKEND, NAMESPACE, ShardRig } from './testing/shard-rig';

const SOON = { timeout: 20_000, interval: 50 };
const HOLDS = 40;
/** Of twice as many commits: of some, a tail may have to read those before once more. */
const FEW = HOLDS;

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  answeredRev = 0;
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Up to which rev of its lock a process has been answered. */
let answeredRev = 0;

/**
 * From now on, the revs of the lock that are read from the history of a store of this kind although
 * they had been answered before.
 */
function watchReads(kind: { prototype: SqliteStore | MysqlStore }): number[] {
  const read: number[] = [];
  const { historyAfter } = kind.prototype;
  vi.spyOn(kind.prototype, 'historyAfter').mockImplementation(async function (
    this: SqliteStore | MysqlStore,
    ...asked
  ) {
    const answered = answeredRev;
    const rows = await historyAfter.apply(this, asked);
    const changes = rows.flatMap((row) => row.changes).filter(({ key }) => key.name === 'stock');
    read.push(...changes.map(({ rev }) => rev).filter((rev) => rev <= answered));
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
  for (let i = 0; i < HOLDS; i += 1) {
    const { token, rev } = await takeLock({ engine }, key, 'w1');
    await release({ engine }, key, 'w1', token);
    answeredRev = rev + 1;
  }
  const recorded = async () => {
    const sql = 'SELECT history_id, place, body FROM lock_events WHERE lock_id = ?';
    const { rows } = await database.raw.ask(sql, [recordId(key)]);
    return rows.flatMap((row) => eventsOf(row)).length;
  };
  await expect.poll(recorded, SOON).toBe(2 * HOLDS);
}

test('a process records what it has committed to its SQLite without reading it', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'lockyard-'));
  cleanUps.push(() => rm(dataDir, { recursive: true, force: true }));
  const config = readConfig({ LOCKYARD_DATA_DIR: dataDir });
  const read = watchReads(SqliteStore);
  const runtime = await createRuntime(config, pino({ level: 'silent' }), systemClock);
  cleanUps.push(() => runtime.close());
  await holdUntilRecorded(runtime, 'default', 'default');
  expect(read.length).toBeLessThan(FEW);
});

test('a process records what it has committed to its shards without reading it', async () => {
  const rig = await ShardRig.open(2);
  cleanUps.push(() => rig.close());
  const read = watchReads(MysqlStore);
  const runtime = await rig.serve(rig.listOf([0, 1]));
  await holdUntilRecorded(runtime, BACKEND, NAMESPACE);
  expect(read.length).toBeLessThan(FEW);
});
