import { readMigrationFiles } from 'drizzle-orm/migrator';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { expect, test, vi } from 'vitest';
import { migrate } from '../migrate';
import { openDatabase } from '../open-database';
import { knownMigrations, MIGRATIONS_TABLE, migrationsFolder } from '../schema-version';
import { newTestLocation } from '../testing/test-database';
import type { DatabaseUrl } from '../urls/backend-url';
import { applyMigrations } from './apply-migrations';

const MIGRATIONS = readMigrationFiles({ migrationsFolder: migrationsFolder('mysql') });
/** The numbers of statements after which a process dies, in turn, so that every point occurs. */
const LIVES = [9, 6, 7];

const urlOf = (location: DatabaseUrl) => (location.kind === 'mysql' ? location.url : '');

/** A connection whose process dies at a statement, before or after the server has applied it. */
function dyingAfter(connection: Connection, statements: number, isApplied: boolean): Connection {
  let left = statements;
  const query = async (sql: string, values?: unknown[]) => {
    left--;
    if (left >= 0) return connection.query(sql, values);
    if (left === -1 && isApplied) await connection.query(sql, values);
    throw new Error('The process died.');
  };
  return { query } as unknown as Connection;
}

/** Every column and every index of a database. */
async function schemaOf(connection: Connection): Promise<unknown[]> {
  const [columns] = await connection.query<RowDataPacket[]>(
    'select table_name, column_name, column_type, is_nullable from information_schema.columns ' +
      'where table_schema = database() order by 1, 2',
  );
  const [indexes] = await connection.query<RowDataPacket[]>(
    'select table_name, index_name, seq_in_index, column_name from information_schema.statistics ' +
      'where table_schema = database() order by 1, 2, 3',
  );
  return [...columns, ...indexes];
}

test('after a process died at any statement of a migration, the next can continue', async () => {
  const [whole, broken] = [await newTestLocation('mysql'), await newTestLocation('mysql')];
  const database = await openDatabase(whole.url);
  await migrate(database);
  await database.close();
  let deaths = 0;
  for (let isDone = false; !isDone; ) {
    const connection = await createConnection({ uri: urlOf(broken.url) });
    const [rows] = await connection
      .query<RowDataPacket[]>(`select created_at from ${MIGRATIONS_TABLE}`)
      .catch(() => [[]] as [RowDataPacket[]]);
    const applied = rows.map((row) => Number(row.created_at));
    const pending = MIGRATIONS.filter(({ folderMillis }) => !applied.includes(folderMillis));
    const dying = dyingAfter(connection, LIVES[deaths % LIVES.length] ?? 7, deaths % 2 > 0);
    isDone = await applyMigrations(dying, pending).then(
      () => true,
      () => false,
    );
    deaths++;
    await connection.end();
  }
  expect(deaths).toBeGreaterThan(10);
  const [expected, found] = await Promise.all(
    [whole, broken].map(async ({ url }) => {
      const connection = await createConnection({ uri: urlOf(url) });
      const schema = await schemaOf(connection);
      const [rows] = await connection.query<RowDataPacket[]>(
        `select created_at from ${MIGRATIONS_TABLE} order by id`,
      );
      await connection.end();
      return { schema, applied: rows.map((row) => Number(row.created_at)) };
    }),
  );
  expect(found?.applied).toEqual(knownMigrations('mysql'));
  expect(found).toEqual(expected);
  await Promise.all([whole.remove(), broken.remove()]);
});

test('what a process applied as it died is not applied again after a refusal', async () => {
  const location = await newTestLocation('mysql');
  const connection = await createConnection({ uri: urlOf(location.url) });
  await connection.query('create table grown (id int)');
  const sql = ['alter table grown add more int'];
  const pending = [{ folderMillis: 1, hash: 'one', sql, bps: true }];
  /** A connection on which the statement fails. */
  const failing = (error: Error, isApplied: boolean) => {
    const query = async (text: string, values?: unknown[]) => {
      if (text !== sql[0]) return connection.query(text, values);
      if (isApplied) await connection.query(text);
      throw error;
    };
    return { query } as unknown as Connection;
  };
  const refusal = Object.assign(new Error('Killed.'), { errno: 1317, sqlState: '70100' });
  const died = failing(new Error('Died.'), true);
  await expect(applyMigrations(died, pending)).rejects.toThrow('Died.');
  await expect(applyMigrations(failing(refusal, false), pending)).rejects.toThrow('Killed.');
  await applyMigrations(connection, pending);
  expect((await connection.query('select id, more from grown'))[0]).toEqual([]);
  await connection.end();
  await location.remove();
});

test('a migration that waits for a transaction on its table does not block others', async () => {
  const location = await newTestLocation('mysql');
  const connect = () => createConnection({ uri: urlOf(location.url) });
  const [backup, migrating, server] = [await connect(), await connect(), await connect()];
  await backup.query('create table busy (id int)');
  await backup.query('start transaction');
  await backup.query('select id from busy');
  const sql = ['alter table busy add more int'];
  const done = applyMigrations(migrating, [{ folderMillis: 1, hash: 'one', sql, bps: true }]);
  await vi.waitFor(async () => {
    const [rows] = await backup.query<RowDataPacket[]>(
      'select id from information_schema.processlist where id = ? and info like ?',
      [migrating.threadId, 'alter table busy%'],
    );
    expect(rows).toHaveLength(1);
  }, 10_000);
  await server.query('set lock_wait_timeout = 5');
  expect((await server.query('select id from busy'))[0]).toEqual([]);
  await backup.query('commit');
  await done;
  expect((await server.query('select id, more from busy'))[0]).toEqual([]);
  for (const each of [backup, migrating, server]) each.destroy();
  await location.remove();
});

test('a migration that takes long is named repeatedly until it is applied', async () => {
  const location = await newTestLocation('mysql');
  const migrating = await createConnection({ uri: urlOf(location.url) });
  const sql = ['create table slow as select sleep(0.5) as slept', 'create table quick (id int)'];
  const named: string[] = [];
  const note = (statement: string) => void named.push(statement);
  await applyMigrations(migrating, [{ folderMillis: 1, hash: 'one', sql, bps: true }], note, 100);
  expect(named.length).toBeGreaterThan(1);
  expect(new Set(named)).toEqual(new Set([sql[0]]));
  migrating.destroy();
  await location.remove();
});

test('an existing table of another program is refused, and not changed', async () => {
  const location = await newTestLocation('mysql');
  const connection = await createConnection({ uri: urlOf(location.url) });
  await connection.query('create table api_keys (theirs int)');
  const database = await openDatabase(location.url);
  await expect(migrate(database)).rejects.toThrow("Table 'api_keys' already exists");
  await expect(migrate(database)).rejects.toThrow("Table 'api_keys' already exists");
  await database.close();
  await connection.end();
  await location.remove();
});

test('a user who may not create tables is reported in one line with the page to read', async () => {
  const place = await newTestLocation('mysql');
  const root = await createConnection({ uri: urlOf(place.url) });
  const user = `'reader${process.pid}'@'%'`;
  await root.query(`create user ${user}`);
  await root.query(`grant select on ${new URL(urlOf(place.url)).pathname.slice(1)}.* to ${user}`);
  const url = new URL(urlOf(place.url));
  [url.username, url.password] = [`reader${process.pid}`, ''];
  const database = await openDatabase({ kind: 'mysql', url: url.href });
  await expect(migrate(database)).rejects.toThrow(
    /^The database could not be migrated: [^\n]*\bdenied\b[^\n]*\. Grant [^\n]*backends\.md#[^\n]*$/,
  );
  await database.close();
  await root.query(`drop user ${user}`);
  await root.end();
  await place.remove();
});
