import type { RunSql, SqlValue } from '@/db/database';

/**
 * Inserts rows into a table, all in one statement.
 *
 * @param rows a few hundred at most, each in the order of `columns`
 * @param atConflict the SQL clause for rows that exist already; absent: they are an error
 */
export async function insertRows(
  ask: RunSql,
  table: string,
  columns: readonly string[],
  rows: (SqlValue | null)[][],
  atConflict = '',
): Promise<void> {
  if (rows.length === 0) return;
  const tuples = rows.map((row) => `(${row.map((value) => (value === null ? 'NULL' : '?'))})`);
  await ask(
    `INSERT INTO ${table} (${columns}) VALUES ${tuples} ${atConflict}`,
    rows.flat().filter((value) => value !== null),
  );
}
