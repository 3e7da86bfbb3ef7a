import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';

/** The SQLite column kit of the schema: the same names and row types; texts compare by byte. */
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
