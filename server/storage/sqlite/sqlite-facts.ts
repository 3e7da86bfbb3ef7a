import { statfs } from 'node:fs/promises';
import type { SqliteFile } from '../../../db/sqlite/sqlite-file';
import { StoreError } from '../record-store';

/** What an open SQLite file reports about itself. */
export interface SqliteFacts {
  journalMode: string;
  /** Of the connection that writes, as the pragma returns it: 0 to 3. */
  synchronous: number;
  pageSize: number;
  version: string;
  /** The magic number of its file system, as Linux reports it; null: unknown. */
  fileSystem: number | null;
}

/** @throws StoreError `applied: 'no'` */
export async function readSqliteFacts({ client, write }: SqliteFile): Promise<SqliteFacts> {
  const first = async (sql: string, on = client) => (await on.execute(sql)).rows[0]?.[0];
  try {
    const list = await client.execute('PRAGMA database_list');
    const path = list.rows.find(({ name }) => name === 'main')?.file;
    return {
      journalMode: String(await first('PRAGMA journal_mode')),
      synchronous: Number(await write((writer) => first('PRAGMA synchronous', writer))),
      pageSize: Number(await first('PRAGMA page_size')),
      version: String(await first('SELECT sqlite_version()')),
      fileSystem: process.platform === 'linux' ? await magicOf(String(path)) : null,
    };
  } catch (cause) {
    throw new StoreError('The settings of the SQLite file could not be read.', 'no', { cause });
  }
}

function magicOf(path: string): Promise<number | null> {
  return statfs(path).then(
    ({ type }) => type >>> 0,
    () => null,
  );
}
