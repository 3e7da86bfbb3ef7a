import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import type { Database, SqlValue } from '@/db/database';
import { migrate } from '@/db/migrate';
import { openDatabase } from '@/db/open-database';
import { newTestLocation, TEST_DIALECTS } from '@/db/testing/test-database';
import { DAY_MS } from '../core/time-units';
import { systemClock } from '../platform/clock';
import { recordedCursor } from '../storage/recorded-position';
import { readConfig } from './config/config';
import { createRuntime } from './create-runtime';

const HEAT_STEP_MS = 15 * 60_000;
const SOON = { timeout: 20_000, interval: 50 };
/** The ages of the rows that each table is given. */
const AGES_DAYS = [1, 8, 40, 70];

/** A table, its columns, and a row of it. */
type Filled = [table: string, columns: string, row: (at: number, id: string) => SqlValue[]];

const EVENTS: Filled = [
  'lock_events',
  'backend, lock_id, history_id, at, place, rev, kind, body',
  // A recorder that begins again removes the events of ids beyond its position.
  (at, id) => ['default', id, -at, at, 0, 1, 'granted', '{}'],
];
const MINUTES: Filled = [
  'lock_minutes',
  'backend, lock_id, minute, grants, timeouts, expiries, forced, waits, holds',
  (at, id) => ['default', id, at, 0, 0, 0, 0, '', ''],
];
const AUDIT: Filled = [
  'audit',
  'intent, at, outcome, actor, actor_kind, address, act, subject, reason, seen, result',
  (at, id) => [id, at, 'done', 'ada', 'user', 'local', 'lock.freeze', id, '', '{}', '{}'],
];
const OTHERS: Filled[] = [
  [
    'counter_minutes',
    'backend, counter_id, minute, changes, added, removed, value',
    (at, id) => ['default', id, at, 1, 1, 0, 1],
  ],
  [
    'lock_heat',
    'step_ms, at, backend, lock_id, waiter_ms, status',
    (at, id) => [HEAT_STEP_MS, at, 'default', id, 1, 'held'],
  ],
  [
    'incidents',
    'backend, namespace, name, status, began_at, read_at, ended_at, waiters, waiter_ms, ' +
      'waiters_max, blocking_max_ms, actors, facts',
    (at, id) => ['default', 'default', id, 'stuck', at, at, at, 0, 1, 1, 1, '[]', '{}'],
  ],
  [
    'deadlocks',
    'id, since, found_at, ended_at, ended_by, waiting, steps',
    (at, id) => [id, at, at, at, 'forced', 2, '[]'],
  ],
  [
    'alerts',
    'kind, backend, namespace, name, since, fired_at, resolved_at, position, sentence',
    (at, id) => ['stuck', 'default', 'default', id, at, at, at, 0, ''],
  ],
];
const ALL = [EVENTS, MINUTES, AUDIT, ...OTHERS];

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** @param backend absent: the only one */
async function fill({ raw }: Database, now: number, backend = 'default'): Promise<void> {
  for (const [table, columns, row] of ALL) {
    for (const days of AGES_DAYS) {
      const its = row(now - days * DAY_MS, `${days} days`);
      const values = its.map((value) => (value === 'default' ? backend : value));
      const places = values.map(() => '?').join(', ');
      await raw.ask(`INSERT INTO ${table} (${columns}) VALUES (${places})`, values);
    }
  }
}

describe.each(TEST_DIALECTS)('over %s', (dialect) => {
  /** Starts a server on data of up to 70 days ago. */
  async function start(
    days: Record<string, string>,
    recorded: (database: Database) => Promise<unknown> = (all) => fill(all, Date.now()),
  ): Promise<Database> {
    const place = await newTestLocation(dialect);
    cleanUps.push(() => place.remove());
    const dataDir = await mkdtemp(join(tmpdir(), 'lockyard-'));
    cleanUps.push(() => rm(dataDir, { recursive: true, force: true }));
    const database = await openDatabase(place.url);
    await migrate(database);
    await recorded(database);
    await database.close();
    const url = place.url.kind === 'mysql' ? place.url.url : `sqlite:${place.url.path}`;
    const own = { LOCKYARD_DATA_DIR: dataDir, LOCKYARD_DATABASE_URL: url };
    const config = readConfig({ ...own, ...days });
    const runtime = await createRuntime(config, pino({ level: 'silent' }), systemClock);
    cleanUps.push(() => runtime.close());
    return runtime.database;
  }

  /** The ages, in days, of the remaining rows of each table. */
  async function left({ raw }: Database): Promise<Record<string, number[]>> {
    const ages: Record<string, number[]> = {};
    for (const [table, columns, row] of ALL) {
      const id = columns.split(', ')[row(0, 'id').indexOf('id')];
      const { rows } = await raw.ask(`SELECT ${id} FROM ${table} WHERE ${id} LIKE '% days'`, []);
      ages[table] = rows.map(([text]) => Number.parseInt(String(text), 10)).sort((a, b) => a - b);
    }
    return ages;
  }

  const kept = (history: number[], minutes: number[], audit: number[]) => ({
    ...Object.fromEntries(ALL.map(([table]) => [table, history])),
    lock_minutes: minutes,
    audit,
  });

  test('history is kept 30 days by default, roll-ups 60, and the audit log for ever', async () => {
    const database = await start({});
    await expect.poll(() => left(database), SOON).toEqual(kept([1, 8], [1, 8, 40], AGES_DAYS));
  });

  test.each(['gone', 'gone.3f9c1a'])(
    'what is recorded of a backend that is no longer configured is kept no longer than that: %s',
    async (backend) => {
      const database = await start({}, async (before) => {
        await fill(before, Date.now(), backend);
        const sql = 'INSERT INTO cursors (id, position) VALUES (?, 7)';
        await before.raw.ask(sql, [recordedCursor(backend)]);
      });
      await expect.poll(() => left(database), SOON).toEqual(kept([1, 8], [1, 8, 40], AGES_DAYS));
    },
  );

  test('each is kept as long as configured', async () => {
    const database = await start({
      LOCKYARD_HISTORY_DAYS: '7',
      LOCKYARD_MINUTES_DAYS: '9',
      LOCKYARD_AUDIT_DAYS: '50',
    });
    await expect.poll(() => left(database), SOON).toEqual(kept([1], [1, 8], [1, 8, 40]));
  });
});
