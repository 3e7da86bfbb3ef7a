import { setTimeout } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPrivateMariadb } from '@/scripts/servers/private-mariadb.mjs';
import { changeInBulk } from '../bulk-change';
import type { Database } from '../database';
import { migrate } from '../migrate';
import { openDatabase } from '../open-database';
import { openTestDatabase, TEST_DIALECTS } from '../testing/test-database';
import { openMysqlSnapshot } from './mysql-snapshot';

/** What an operator may set for other programs. */
const SETTINGS = [
  '--sql-mode=NO_BACKSLASH_ESCAPES,ANSI_QUOTES',
  '--autocommit=0',
  '--innodb-snapshot-isolation=ON',
  '--default-time-zone=+05:30',
  '--default-storage-engine=MyISAM',
  '--transaction-isolation=READ-UNCOMMITTED',
  '--skip-character-set-client-handshake',
  '--character-set-server=latin1',
  '--collation-server=latin1_swedish_ci',
];

const row = (id: string, value: string) => ({ id, value, changedAt: 1 });

describe.skipIf(!TEST_DIALECTS.includes('mysql'))('a server with settings of its own', () => {
  let server: Awaited<ReturnType<typeof startPrivateMariadb>>;
  let database: Database;
  let url: string;
  beforeAll(async () => {
    server = await startPrivateMariadb({ durable: false, settings: SETTINGS });
    const root = await createConnection({ uri: server.url });
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

  test('gives every letter to a backup, and takes it from one', async () => {
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

  test('refuses what does not fit, and cuts nothing off', async () => {
    await expect(database.db.insert(settings()).values(row('x'.repeat(97), ''))).rejects.toThrow();
    expect(await storedValue('x'.repeat(96))).toBe(undefined);
  });

  test('commits a single write', async () => {
    await database.db.insert(settings()).values(row('single', 'yes'));
    const other = await createConnection({ uri: url });
    const [rows] = await other.query<RowDataPacket[]>('SELECT id FROM settings WHERE id = ?', [
      'single',
    ]);
    await other.end();
    expect(rows).toHaveLength(1);
  });

  test('reads what was committed', async () => {
    await database.db.insert(settings()).values(row('read', 'before'));
    const other = await createConnection({ uri: url });
    await other.query("UPDATE settings SET value = 'after' WHERE id = 'read'");
    expect(await storedValue('read')).toBe('before');
    other.destroy();
  });

  test('runs a transaction again whose row has changed since it was read', async () => {
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
  test('is given up, and does not land once the row is free', async () => {
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
