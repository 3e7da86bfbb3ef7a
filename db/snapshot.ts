import { getTableColumns, getTableName } from 'drizzle-orm';
import * as tables from './mysql/mysql-schema';
import { openMysqlSnapshot } from './mysql/mysql-snapshot';
import { openSqliteSnapshot } from './sqlite/sqlite-snapshot';
import type { DatabaseUrl } from './urls/backend-url';

/** Some of a table's rows; `where` is an SQL condition in both dialects. */
export interface TablePart extends TableShape {
  where?: string;
}

/** A consistent view of a whole database at one instant; concurrent writes do not affect it. */
export interface Snapshot {
  /** The migrations applied to it. */
  readonly applied: number[];
  count(part: TablePart): Promise<number>;
  /** Every row, with its cells in the order of the columns. */
  rows(part: TablePart): AsyncIterable<Cell[]>;
  close(): Promise<void>;
}

/**
 * Opens a database for reading only. On SQLite this does not disturb a server that uses the file.
 *
 * Rejects with `StartError` when the database does not exist.
 */
export function openSnapshot(url: DatabaseUrl): Promise<Snapshot> {
  return url.kind === 'sqlite' ? openSqliteSnapshot(url.path) : openMysqlSnapshot(url.url);
}

/** A table's name and columns as the databases have them, the same in both dialects. */
export interface TableShape {
  name: string;
  columns: {
    name: string;
    /** The column has no null and no default. */
    isNeeded: boolean;
  }[];
}

/** A value of a row: both dialects store only these. */
export type Cell = string | number | null;

/** Every table of the schema, in its order. */
export function tableShapes(): TableShape[] {
  return Object.values(tables).map((table) => ({
    name: getTableName(table),
    columns: Object.entries(getTableColumns(table)).map(([key, { notNull, hasDefault }]) => ({
      name: key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      isNeeded: notNull && !hasDefault,
    })),
  }));
}
