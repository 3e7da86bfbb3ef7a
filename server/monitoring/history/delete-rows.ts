import { setImmediate } from 'node:timers/promises';
import type { Database, RawSql } from '@/db/database';
import type { ShouldContinue } from '../../platform/periodic';

/** Rows of one statement: each is short, and other writes get their turn in between. */
const ROWS_AT_ONCE = 1_000;

/**
 * Removes the rows of a table that a condition selects, in small batches.
 *
 * @param database `ask` runs each batch
 * @param condition one in SQL, with `?` for each of `values`
 */
export async function deleteRows(
  { raw, kind }: { raw: Pick<RawSql, 'ask'>; kind: Database['kind'] },
  table: string,
  condition: string,
  values: (string | number)[],
  shouldContinue: ShouldContinue = () => true,
): Promise<void> {
  const sql =
    kind === 'mysql'
      ? `DELETE FROM ${table} WHERE ${condition} LIMIT ${ROWS_AT_ONCE}`
      : `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${condition} ` +
        `LIMIT ${ROWS_AT_ONCE})`;
  while (shouldContinue()) {
    const { affected } = await raw.ask(sql, values);
    if (affected < ROWS_AT_ONCE) break;
    await setImmediate();
  }
}
