import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import type { Database } from '@/db/database';
import { readConfig } from '@/server/bootstrap/config/config';
import { createRuntime } from '@/server/bootstrap/create-runtime';
import type { LockEngine } from '@/server/engine/lock-engine';
import { requestIdentity } from '@/server/engine/request-identity';
import { setFrozen } from '@/server/operations/locks/for-people/set-frozen';
import type { OperationContext, Runtime } from '@/server/operations/operation-context';
import { systemClock } from '@/server/platform/clock';
import { freshDatabase } from './fresh-database';

const LOCKS = 20_000;
const ACTS = 1_000;
const AT_ONCE = 50;
const LEASE_MS = 3_600_000;
const NOT_AT_ONCE = { holdRequestMs: 0 };
/** What is measured, and whether each of its rows belongs to one lock, event or audit entry. */
const TABLES = ['locks', 'lock_requests', 'lock_events', 'lock_minutes', 'lock_weeks', 'audit'];

const CALLER = { service: 'billing', owner: 'billing-5f7c9d4b8-x2k4q:worker-3' };
const META = { host: 'billing-5f7c9d4b8-x2k4q', pid: '4711', version: '2.14.0' };
const REASON = 'the import is repaired by hand until noon';

/**
 * Measures the space of one lock, event, minute and audit entry: every lock is acquired with a
 * request id and released once, as by the npm client, and some are frozen.
 */
export async function measureSizes(server: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lockyard-sizes-'));
  try {
    const sqlite = `sqlite:${join(folder, 'sizes.db')}`;
    await measure('SQLite', { folder: join(folder, 'one'), url: sqlite });
    const url = await freshDatabase(server, 'bench_sizes');
    await measure('MariaDB', { folder: join(folder, 'two'), url });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(name: string, place: { folder: string; url: string }): Promise<void> {
  const own = { LOCKYARD_DATA_DIR: place.folder, LOCKYARD_DATABASE_URL: place.url };
  const runtime = await createRuntime(readConfig(own), pino({ level: 'silent' }), systemClock);
  try {
    const engine = runtime.engines.get('default');
    if (!engine) throw new Error('There is no backend.');
    console.log(`\n${name}: ${LOCKS} locks, each acquired and released once; bytes`);
    const before = heapBytes();
    const tokens: number[] = [];
    await all(LOCKS, async (i) => {
      tokens[i] = await acquire(engine, i, 'request');
    });
    await settled(runtime);
    console.log(`  memory a held lock ${Math.round((heapBytes() - before) / LOCKS)}`);
    await all(LOCKS, (i) => release(engine, i, tokens[i] ?? 0, 'r'));
    await settled(runtime);
    console.log(`  memory a free lock ${Math.round((heapBytes() - before) / LOCKS)}`);
    await all(ACTS, (i) => freeze(runtime, i));
    await settled(runtime);
    for (const table of TABLES) await report(runtime.database, table);
    const bytesBefore = await bytesOf(runtime.database, 'lock_events');
    // Frozen locks cannot be acquired.
    await all(LOCKS - ACTS, async (i) => {
      const lock = ACTS + i;
      await release(engine, lock, await acquire(engine, lock, 'again'), 'again');
    });
    await settled(runtime);
    const bytes = (await bytesOf(runtime.database, 'lock_events')) - bytesBefore;
    console.log(`  lock_events: ${Math.round(bytes / (LOCKS - ACTS))} a hold that ends at once`);
  } finally {
    await runtime.close();
  }
}

const lockName = (i: number) => `invoices:customer-${String(i).padStart(6, '0')}`;
const keyOf = (i: number) => ({ namespace: 'default', name: lockName(i) });

async function acquire(engine: LockEngine, i: number, request: string): Promise<number> {
  const input = { leaseMs: LEASE_MS, waitMs: 0, mode: 'exclusive', reentrant: false } as const;
  const scope = { ...keyOf(i), ...CALLER, verb: 'acquire', requestId: `${request}-${i}`, input };
  const command = { verb: 'acquire', ...CALLER, ...input, meta: META } as const;
  const identified = { ...command, request: requestIdentity(scope) };
  const answer = await engine.acquire(keyOf(i), identified, NOT_AT_ONCE);
  if (answer.outcome !== 'granted') throw new Error(`A lock was not granted: ${answer.outcome}`);
  return answer.token;
}

async function release(
  engine: LockEngine,
  i: number,
  token: number,
  request: string,
): Promise<void> {
  const requestId = `${request}-${i}`;
  const scope = { ...keyOf(i), ...CALLER, verb: 'release', requestId, input: { token } };
  const identity = requestIdentity(scope);
  await engine.run(keyOf(i), { verb: 'release', ...CALLER, token, request: identity });
}

async function freeze(runtime: Runtime, i: number): Promise<void> {
  const row = runtime.projection.row('default', lockName(i));
  const ctx: OperationContext = {
    runtime,
    actor: { kind: 'system' },
    address: '192.0.2.17',
    requestId: `act-${i}`,
  };
  const on = { namespace: 'default', name: lockName(i), reason: REASON };
  await setFrozen(ctx, 'freeze', { ...on, rev: row?.rev ?? 0 });
}

async function all(count: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Waits until everything so far has been recorded and counted. */
async function settled({ database }: Runtime): Promise<void> {
  const first = async (sql: string) => Number((await database.raw.ask(sql, [])).rows[0]?.[0]);
  const end = await first('SELECT MAX(id) FROM lock_history');
  // The roll-ups of name parts may lag behind.
  const ids = "id LIKE 'opened/%' OR id LIKE 'rolled/default/_'";
  while ((await first(`SELECT MIN(position) FROM cursors WHERE ${ids}`)) < end) await pause(500);
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function report(database: Database, table: string): Promise<void> {
  const bytes = await bytesOf(database, table);
  const counted = await database.raw.ask(`SELECT COUNT(*) FROM ${table}`, []);
  const rows = Number(counted.rows[0]?.[0]);
  console.log(`  ${table}: ${Math.round(bytes / rows)} a row, ${rows} rows`);
}

/** Includes the indexes. */
async function bytesOf({ raw, kind }: Database, table: string): Promise<number> {
  if (kind === 'mysql') await raw.ask(`ANALYZE TABLE ${table}`, []);
  const sql =
    kind === 'mysql'
      ? 'SELECT data_length + index_length FROM information_schema.tables WHERE ' +
        'table_schema = database() AND table_name = ?'
      : 'SELECT SUM(pgsize) FROM dbstat WHERE name IN ' +
        '(SELECT name FROM sqlite_schema WHERE tbl_name = ?)';
  return Number((await raw.ask(sql, [table])).rows[0]?.[0]);
}
