import { stat, statfs } from 'node:fs/promises';
import type { SqliteFile } from '../../../db/sqlite/sqlite-file';
import { errorCode } from '../../platform/files/error-code';
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
  /** Whether its path still leads to it; null: not known. */
  isInPlace: boolean | null;
}

/** The magic number of FUSE, where one file may get another inode at any time. */
export const FUSE = 0x65735546;

/**
 * @param opened `identityOf` the file when it was opened
 * @throws StoreError `applied: 'no'`
 */
export async function readSqliteFacts(file: SqliteFile, opened: string): Promise<SqliteFacts> {
  const { client, write } = file;
  const first = async (sql: string, on = client) => (await on.execute(sql)).rows[0]?.[0];
  try {
    const path = await pathOf(file);
    const fileSystem = process.platform === 'linux' ? await magicOf(path) : null;
    return {
      journalMode: String(await first('PRAGMA journal_mode')),
      synchronous: Number(await write((writer) => first('PRAGMA synchronous', writer))),
      pageSize: Number(await first('PRAGMA page_size')),
      version: String(await first('SELECT sqlite_version()')),
      fileSystem,
      isInPlace: fileSystem === FUSE ? null : (await identityOf(file)) === opened,
    };
  } catch (cause) {
    throw new StoreError('The settings of the SQLite file could not be read.', 'no', { cause });
  }
}

/** A text that identifies the file that is now at the path of an open file. */
export async function identityOf(file: SqliteFile): Promise<string> {
  try {
    const { dev, ino } = await stat(await pathOf(file), { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'nothing';
    throw error;
  }
}

/** The path at which the file was opened. */
async function pathOf({ client }: SqliteFile): Promise<string> {
  const list = await client.execute('PRAGMA database_list');
  return String(list.rows.find(({ name }) => name === 'main')?.file);
}

function magicOf(path: string): Promise<number | null> {
  return statfs(path).then(
    ({ type }) => type >>> 0,
    () => null,
  );
}
