import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import { DEFAULT_RETENTION } from '../../core/retention';
import { DAY_MS } from '../../core/time-units';
import { pruneAudit } from '../../operations/audit/prune-audit';
import type { ControlRuntime } from '../../operations/operation-context';
import { AlertRig } from '../alerts/testing/alert-rig';
import { FormerStore } from '../history/former-stores';
import { LockPast } from '../history/lock-past';
import { pruneRefusals } from '../history/prune-recorded';
import { HeatRecorder } from '../incidents/heat-recorder';
import { HeatTable } from '../incidents/heat-table';
import { IncidentRecorder } from '../incidents/incident-recorder';
import { TableRig } from '../testing/table-rig';
import { DeadlockHistory } from '../waits/deadlock-history';

const { historyMs } = DEFAULT_RETENTION;

describe.each(TEST_DIALECTS)('a server whose clock was set years ahead, over %s', (dialect) => {
  let database: Database;
  beforeAll(async () => {
    database = await openTestDatabase(dialect);
  });
  afterAll(() => database.close());

  const count = async (table: string) => {
    const { rows } = await database.raw.ask(`SELECT COUNT(*) FROM ${table}`, []);
    return Number(rows[0]?.[0]);
  };

  /** Something of yesterday in each table. */
  const record = async () => {
    const { db, tables } = database;
    const at = Date.now() - DAY_MS;
    const lock = { backend: 'gone', namespace: 'default', name: 'index' };
    const stored = { backend: 'gone', lockId: 'default/index' };
    const incident = { status: 'stuck', beganAt: at, readAt: at, clearedAt: at, endedAt: at };
    const waited = { waiters: 0, waiterMs: 0, waitersMax: 0, blockingMaxMs: 0 };
    const counts = { grants: 1, timeouts: 0, expiries: 0, forced: 0, waits: '', holds: '' };
    const alert = { kind: 'stuck', since: at, firedAt: at, resolvedAt: at, sentence: '' };
    const deadlock = { id: 'p-q', since: at, foundAt: at, endedAt: at, waiting: 2, steps: '[]' };
    const who = { actor: 'ada', actorKind: 'user' } as const;
    const entry = { intent: 'a', ...who, act: 'lock.release', at };
    const done = { subject: 'index', reason: '', seen: '{}', outcome: 'done', result: '{}' };
    const facts = JSON.stringify({ stuck: null, hold: null });
    await db.insert(tables.incidents).values({
      ...{ ...lock, ...incident, ...waited, actors: '[]', facts },
    });
    await db.insert(tables.lockHeat).values({
      ...{ ...stored, stepMs: 15 * 60_000, at, waiterMs: 1, status: 'stuck' },
    });
    await db.insert(tables.alerts).values({ ...lock, ...alert, position: 0 });
    await db.insert(tables.deadlocks).values(deadlock);
    await db.insert(tables.lockRefusals).values({
      ...{ ...stored, minute: at, process: 'p', attempts: 1, counts: '{}', writtenAt: at },
    });
    await db.insert(tables.lockMinutes).values({ ...stored, minute: at, ...counts });
    await db.insert(tables.audit).values({ ...entry, ...done, address: '' });
  };

  it('removes nothing before its time, which the clock of the database shows', async () => {
    await record();
    const clock = { now: () => Date.now() + 5 * 365 * DAY_MS, monotonic: () => 0 };
    const { table } = new TableRig();
    const past = new LockPast(database);
    const isKnown = { isRead: () => true, isFresh: () => true };
    await new IncidentRecorder({ database, table, ...isKnown, backends: [], past, clock }).prune();
    await new HeatRecorder(table, new HeatTable(database), clock).prune();
    const alerts = new AlertRig(database);
    alerts.now = clock.now();
    const jobs = alerts.process([]).alerting.jobs();
    await jobs.find(({ name }) => name === 'prune alerts')?.run();
    const watch = { examine: () => ({ found: [], ended: [] }), rows: () => [] };
    const log = { warn: () => undefined };
    const isRunner = () => true;
    await new DeadlockHistory({ database, clock, log, watch, isRunner, historyMs }).run();
    await pruneRefusals(database, clock, DEFAULT_RETENTION);
    await new FormerStore(database, 'gone', clock, DEFAULT_RETENTION).prune();
    const config = { retention: { ...DEFAULT_RETENTION, auditMs: 365 * DAY_MS } };
    await pruneAudit({ config: config as ControlRuntime['config'], database, clock });
    const tables = ['incidents', 'lock_heat', 'alerts', 'deadlocks', 'lock_refusals'];
    const removed: string[] = [];
    for (const name of [...tables, 'lock_minutes', 'audit']) {
      if ((await count(name)) === 0) removed.push(name);
    }
    expect(removed).toEqual([]);
  });
});
