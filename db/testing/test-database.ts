import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import type { Database } from '../database';
import { openDatabase } from '../open-database';
import type { DatabaseUrl } from '../urls/backend-url';
import { addTables } from './add-tables';

/** The location of a test's database; `remove` deletes it with its content. */
export interface TestLocation {
  url: DatabaseUrl;
  remove(): Promise<void>;
}

const mysqlServer = process.env.TEST_MYSQL_URL;
if (!mysqlServer) console.warn('TEST_MYSQL_URL is not set: MySQL is not tested.');

export type TestDialect = 'sqlite' | 'mysql';

export const TEST_DIALECTS: readonly TestDialect[] = mysqlServer ? ['sqlite', 'mysql'] : ['sqlite'];

/**
 * A new location: a real file in a temporary folder, or a new database on the server of
 * `TEST_MYSQL_URL`.
 */
export async function newTestLocation(dialect: TestDialect): Promise<TestLocation> {
  if (dialect === 'sqlite') {
    const folder = await mkdtemp(join(tmpdir(), 'lockyard-'));
    return {
      url: { kind: 'sqlite', path: join(folder, 'test.db') },
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  }
  const name = `lockyard_test_${randomBytes(6).toString('hex')}`;
  const url = new URL(mysqlServer as string);
  await onServer(`create database ${name}`);
  url.pathname = `/${name}`;
  return {
    url: { kind: 'mysql', url: url.href },
    remove: () => onServer(`drop database ${name}`),
  };
}

/** A new database with the tables of this program, open. `close` removes it too. */
export async function openTestDatabase(dialect: TestDialect): Promise<Database> {
  const location = await newTestLocation(dialect);
  await addTables(location.url);
  const database = await openDatabase(location.url);
  const close = async () => {
    await database.close();
    await location.remove();
  };
  return Object.create(database, { close: { value: close } });
}

async function onServer(statement: string): Promise<void> {
  const connection = await createConnection({ uri: mysqlServer as string });
  await connection.query(statement);
  await connection.end();
}
