import { openMysqlSnapshot } from './mysql/mysql-snapshot';
import { openSqliteSnapshot } from './sqlite/sqlite-snapshot';
import type { Cell, TableShape } from './table-shapes';
import type { DatabaseUrl } from './urls/backend-url';

/** Some of a table's rows; `where` is an SQL condition that both dialects know. */
export interface TablePart extends TableShape {
  where?: string;
}

/** A whole database as it was at one instant, whoever goes on writing to it. */
export interface Snapshot {
  /** The migrations that it has had. */
  readonly applied: number[];
  count(part: TablePart): Promise<number>;
  /** Every row, its cells in the order of the columns. */
  rows(part: TablePart): AsyncIterable<Cell[]>;
  close(): Promise<void>;
}

/**
 * Opens a database for reading alone. On SQLite this disturbs no server that has the file open.
 *
 * Errors: `StartError` when it is not there.
 */
export function openSnapshot(url: DatabaseUrl): Promise<Snapshot> {
  return url.kind === 'sqlite' ? openSqliteSnapshot(url.path) : openMysqlSnapshot(url.url);
}
