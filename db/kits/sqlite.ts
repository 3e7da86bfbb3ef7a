import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';

/** The SQLite body of the schema: the same names, the same row types. SQLite compares text by byte as it is. */
export const sqliteKit = {
  table: sqliteTable,
  index,
  uniqueIndex,
  primaryKey,
  serial: () => integer({ mode: 'number' }).primaryKey({ autoIncrement: true }),
  exact: (_bytes: number) => text(),
  code: (_length: number) => text(),
  document: () => text(),
  whole: () => integer({ mode: 'number' }),
  count: () => integer({ mode: 'number' }),
};
