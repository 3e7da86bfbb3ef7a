import type { SQL } from 'drizzle-orm';
import type { MySqlTable, MySqlUpdateSetSource } from 'drizzle-orm/mysql-core';
import type { MySql2Database } from 'drizzle-orm/mysql2';

/** The result of a write. Only `Database.affectedRows` reads it. */
export type WriteResult = { readonly written: unique symbol };

/**
 * What both dialects have in common, typed as the more limited one. Anything else needs a function
 * of `Database`. One statement each; several that belong together go through
 * `Database.transaction`.
 */
export type Db = Pick<
  MySql2Database<Record<string, never>>,
  'select' | 'selectDistinct' | '$count'
> & {
  insert<T extends MySqlTable>(
    table: T,
  ): { values(rows: T['$inferInsert'] | T['$inferInsert'][]): Promise<WriteResult> };
  update<T extends MySqlTable>(
    table: T,
  ): { set(values: MySqlUpdateSetSource<T>): { where(which: SQL): Promise<WriteResult> } };
  delete<T extends MySqlTable>(table: T): { where(which: SQL): Promise<WriteResult> };
};
