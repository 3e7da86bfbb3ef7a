import { setTimeout } from 'node:timers/promises';
import { eq, like } from 'drizzle-orm';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPrivateMariadb } from '@/scripts/servers/private-mariadb.mjs';
import { created, eventOf, freshKey } from '@/server/storage/conformance/testing/changes';
import { MysqlStore } from '@/server/storage/mysql/mysql-store';
import { changeInBulk } from '../bulk-change';
import type { Database } from '../database';
import { migrate } from '../migrate';
import { openDatabase } from '../open-database';
import { openTestDatabase, TEST_DIALECTS } from '../testing/test-database';
import { applyMigrations } from './apply-migrations';
import { connectAlone } from './mysql-pool';
import { openMysqlSnapshot } from './mysql-snapshot';

/** Settings that an operator may choose for other programs. */
const SETTINGS = [
  '--sql-mode=NO_BACKSLASH_ESCAPES,ANSI_QUOTES,EMPTY_STRING_IS_NULL',
  '--autocommit=0',
  '--innodb-snapshot-isolation=ON',
  '--default-time-zone=+05:30',
  '--default-storage-engine=MyISAM',
  '--transaction-isolation=READ-UNCOMMITTED',
  '--skip-character-set-client-handshake',
  '--character-set-server=latin1',
  '--collation-server=latin1_swedish_ci',
];

/** Settings that protect a server from careless statements. */
const LIMITS =
  'sql_safe_updates = 1, max_join_size = 100, sql_select_limit = 2, max_statement_time = 0.5, ' +
  "completion_type = 'CHAIN'";

const row = (id: string, value: string) => ({ id, value, changedAt: 1 });

describe.skipIf(!TEST_DIALECTS.includes('mysql'))('a server with settings of its own', () => {
  let server: Awaited<ReturnType<typeof startPrivateMariadb>>;
  let database: Database;
  let url: string;
  beforeAll(async () => {
    server = await startPrivateMariadb({ durable: false, settings: SETTINGS });
    const root = await createConnection({ uri: server.url });
    await root.query(`SET GLOBAL ${LIMITS}`);
    await root.query('CREATE DATABASE lockyard');
    await root.end();
    url = `${server.url}/lockyard`;
    database = await openDatabase({ kind: 'mysql', url });
    await migrate(database);
  });
  afterAll(async () => {
    await database.close();
    await server.stop();
  });

  const settings = () => database.tables.settings;
  const storedValue = async (id: string) => {
    const [found] = await database.db.select().from(settings()).where(eq(settings().id, id));
    return found?.value;
  };
  const storedElsewhere = async (id: string) => {
    const other = await createConnection({ uri: url });
    await other.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
    const [rows] = await other.query<RowDataPacket[]>('SELECT 1 FROM settings WHERE id = ?', [id]);
    await other.end();
    return rows;
  };

  test('keeps every table in InnoDB', async () => {
    const { rows } = await database.raw.ask(
      'SELECT DISTINCT engine FROM information_schema.tables WHERE table_schema = DATABASE()',
      [],
    );
    expect(rows).toEqual([['InnoDB']]);
  });

  test('stores a text with quotes and backslashes as it is', async () => {
    const text = `it's \\ "so" \\', 1); DROP TABLE settings; --`;
    await database.db.insert(settings()).values(row('text', text));
    expect(await storedValue('text')).toBe(text);
  });

  test('keeps every letter of a text, whatever character set it has for its clients', async () => {
    const text = 'Zoë 漢 🔒';
    await database.db.insert(settings()).values(row('letters', text));
    expect(await storedValue('letters')).toBe(text);
  });

  test('preserves every letter in a backup and a restore', async () => {
    const text = 'Zoë 漢 🔒';
    await changeInBulk(database, (change) =>
      change.insert('settings', ['id', 'value', 'changed_at'], [['restored', text, 1]]),
    );
    expect(await storedValue('restored')).toBe(text);
    const snapshot = await openMysqlSnapshot(url);
    const part = { name: 'settings', columns: [{ name: 'value', isNeeded: true }] };
    const read: unknown[] = [];
    for await (const [value] of snapshot.rows({ ...part, where: "id = 'restored'" }))
      read.push(value);
    await snapshot.close();
    expect(read).toEqual([text]);
  });

  test('runs statements over whole tables, although other programs may not', async () => {
    const { db } = database;
    const many = () => db.select().from(settings()).where(like(settings().value, 'many%'));
    const rows = Array.from({ length: 300 }, (_, i) => row(`many.${i}`, 'many'));
    await db.insert(settings()).values(rows);
    expect(await many()).toHaveLength(300);
    await db.delete(settings()).where(eq(settings().value, 'many'));
    expect(await many()).toEqual([]);
  });

  test('commits every write that follows a transaction on its connection', async () => {
    for (let i = 0; i < 12; i += 1) {
      await database.transaction((tx) => tx.insert(settings()).values(row(`first.${i}`, '')));
      for (const id of [`second.${i}`, `third.${i}`]) {
        await database.db.insert(settings()).values(row(id, ''));
        expect(await storedElsewhere(id)).toHaveLength(1);
      }
    }
  });

  test('gives a backup, a restore and a migration as long as they need', async () => {
    const slow = 'sleep(0.7) = 0';
    await changeInBulk(database, async (change) => {
      await change.run('delete from settings where value = ?', ['slow']);
      await change.insert('settings', ['id', 'value', 'changed_at'], [['slow', 'slow', 1]]);
      await change.run(`update settings set changed_at = 2 where value = 'slow' and ${slow}`);
    });
    const snapshot = await openMysqlSnapshot(url);
    const where = `id = 'slow' and changed_at = 2 and ${slow}`;
    expect(await snapshot.count({ name: 'settings', columns: [], where })).toBe(1);
    await snapshot.close();
    const migrating = await connectAlone(url);
    const sql = [`update settings set changed_at = 3 where value = 'slow' and ${slow}`];
    await applyMigrations(migrating, [{ sql, folderMillis: 1, hash: 'slow', bps: true }]);
    migrating.destroy();
  });

  test('does not take a statement of a migration that it refused for applied', async () => {
    const migrating = await connectAlone(url);
    await migrating.query('create table theirs (id int)');
    const sql = ['create table theirs (other int)'];
    const migrations = [{ sql, folderMillis: 2, hash: 'refused', bps: true }];
    await expect(applyMigrations(migrating, migrations)).rejects.toThrow('already exists');
    migrating.destroy();
    const next = await connectAlone(url);
    await expect(applyMigrations(next, migrations)).rejects.toThrow('already exists');
    next.destroy();
  });

  test('ends no connection that is idle for a while, nor the transaction on it', async () => {
    const root = await createConnection({ uri: url });
    const limits = ['wait', 'idle_transaction', 'idle_write_transaction'];
    for (const limit of limits) await root.query(`SET GLOBAL ${limit}_timeout = 1`);
    try {
      const idle = await connectAlone(url);
      await idle.query('START TRANSACTION');
      const sql = 'SELECT time FROM information_schema.processlist WHERE id = ?';
      const idleS = async () => {
        const [[row]] = await root.query<RowDataPacket[]>(sql, [idle.threadId]);
        return Number(row?.time);
      };
      await expect.poll(idleS, { timeout: 20_000 }).toBeGreaterThan(1);
      await idle.query('COMMIT');
      idle.destroy();
    } finally {
      for (const limit of limits) await root.query(`SET GLOBAL ${limit}_timeout = DEFAULT`);
      await root.end();
    }
  });

  test('serves the lock store like any other server', async () => {
    const store = new MysqlStore(url);
    const keys = Array.from({ length: 300 }, () => freshKey());
    for (const key of keys) await created(store, key, { events: [eventOf(1)] });
    const { records } = await store.scan({ namespace: null, after: null }, 1_000);
    expect(records).toHaveLength(300);
    const end = await store.historyEnd();
    expect(await store.historyAfter(0, 1_000)).toHaveLength(300);
    const pruned = await store.pruneHistory(end, Number.MAX_SAFE_INTEGER);
    const reported = (await store.guarantees()).settings.map(({ name }) => name);
    expect(reported.filter((name) => name.startsWith('engine of'))).toHaveLength(3);
    expect(reported.filter((name) => name.startsWith('collation of'))).toHaveLength(3);
    await store.close();
    const other = new MysqlStore(url);
    expect([pruned, await other.historyAfter(0, 1_000)]).toEqual([300, []]);
    await other.close();
  });

  test('refuses what does not fit instead of truncating it', async () => {
    await expect(database.db.insert(settings()).values(row('x'.repeat(97), ''))).rejects.toThrow();
    expect(await storedValue('x'.repeat(96))).toBe(undefined);
  });

  test('commits a single write', async () => {
    await database.db.insert(settings()).values(row('single', 'yes'));
    expect(await storedElsewhere('single')).toHaveLength(1);
  });

  test('reads what was committed', async () => {
    await database.db.insert(settings()).values(row('read', 'before'));
    const other = await createConnection({ uri: url });
    await other.query("UPDATE settings SET value = 'after' WHERE id = 'read'");
    expect(await storedValue('read')).toBe('before');
    other.destroy();
  });

  test('repeats a transaction whose row has changed since it was read', async () => {
    await database.db.insert(settings()).values(row('shared', '0'));
    let runs = 0;
    await database.transaction(async (tx) => {
      runs += 1;
      await tx.select().from(settings()).where(eq(settings().id, 'shared'));
      const set = (on: Pick<Database['db'], 'update'>, value: string) =>
        on.update(settings()).set({ value }).where(eq(settings().id, 'shared'));
      if (runs === 1) await set(database.db, 'another');
      await set(tx, 'mine');
    });
    expect([runs, await storedValue('shared')]).toEqual([2, 'mine']);
  });
});

describe.skipIf(!TEST_DIALECTS.includes('mysql'))('a write that waits for a locked row', () => {
  test('is abandoned, and not applied once the row is free', async () => {
    const database = await openTestDatabase('mysql');
    const { settings } = database.tables;
    await database.db.insert(settings).values(row('locked', 'before'));
    const other = await createConnection({ uri: database.mysqlUrl ?? '' });
    await other.query('START TRANSACTION');
    await other.query("SELECT value FROM settings WHERE id = 'locked' FOR UPDATE");
    const which = eq(settings.id, 'locked');
    await expect(
      database.db.update(settings).set({ value: 'after' }).where(which),
    ).rejects.toThrow();
    await other.query('ROLLBACK');
    await setTimeout(200);
    expect(await database.db.select().from(settings).where(which)).toMatchObject([
      { value: 'before' },
    ]);
    await other.end();
    await database.close();
  });
});
