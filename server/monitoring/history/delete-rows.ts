import { setImmediate } from 'node:timers/promises';
import type { Database } from '@/db/database';
import type { MayGoOn } from '../../platform/periodic';

/** Rows removed at a time: each step is short, and lets others write in between. */
const ROWS_AT_ONCE = 1_000;

/**
 * Removes the rows of a table that a condition selects, a few at a time.
 *
 * @param which a condition in SQL, with `?` for each of `values`
 */
export async function deleteRows(
  { raw, kind }: Database,
  table: string,
  which: string,
  values: (string | number)[],
  mayGoOn: MayGoOn = () => true,
): Promise<void> {
  const sql =
    kind === 'mysql'
      ? `DELETE FROM ${table} WHERE ${which} LIMIT ${ROWS_AT_ONCE}`
      : `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${which} ` +
        `LIMIT ${ROWS_AT_ONCE})`;
  while (mayGoOn()) {
    const { affected } = await raw.ask(sql, values);
    if (affected < ROWS_AT_ONCE) break;
    await setImmediate();
  }
}
