import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { migrate } from '../migrate';
import { openDatabase } from '../open-database';
import { MIGRATIONS_TABLE } from '../schema-version';
import type { DatabaseUrl } from '../urls/backend-url';

/** What `migrate` makes of an empty database; each process of the tests migrates it once. */
let file: Promise<Buffer> | undefined;
let statements: Promise<string> | undefined;

/**
 * Makes the tables in an empty database that is not open, exactly as `migrate` does, but copied
 * from one that was migrated before: `add-tables.test.ts` compares them.
 */
export async function addTables(url: DatabaseUrl): Promise<void> {
  if (url.kind === 'sqlite') {
    file ??= migratedFile();
    await writeFile(url.path, await file, { mode: 0o600 });
    return;
  }
  statements ??= migratedTables(url.url);
  const connection = await createConnection({ uri: url.url, multipleStatements: true });
  await connection.query(await statements);
  await connection.end();
}

async function migratedFile(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'lockyard-'));
  const path = join(folder, 'test.db');
  await migrated({ kind: 'sqlite', path });
  const content = await readFile(path);
  await rm(folder, { recursive: true });
  return content;
}

/** Migrates another database on the same server, and returns the statements that copy it. */
async function migratedTables(url: string): Promise<string> {
  const other = new URL(url);
  other.pathname += '_migrated';
  const name = other.pathname.slice(1);
  const connection = await createConnection({ uri: url });
  const ask = async (sql: string) => (await connection.query<RowDataPacket[]>(sql))[0];
  await ask(`CREATE DATABASE ${name}`);
  await migrated({ kind: 'mysql', url: other.href });
  const tables = (await ask(`SHOW TABLES FROM ${name}`)).flatMap((row) => Object.values(row));
  const made: string[] = [];
  for (const table of tables) {
    const [row] = await ask(`SHOW CREATE TABLE ${name}.${table}`);
    made.push(row?.['Create Table']);
  }
  for (const { id, hash, created_at } of await ask(`SELECT * FROM ${name}.${MIGRATIONS_TABLE}`)) {
    made.push(`INSERT INTO ${MIGRATIONS_TABLE} VALUES (${id}, '${hash}', ${created_at})`);
  }
  await ask(`DROP DATABASE ${name}`);
  await connection.end();
  return made.join(';\n');
}

async function migrated(url: DatabaseUrl): Promise<void> {
  const database = await openDatabase(url);
  await migrate(database);
  await database.close();
}
