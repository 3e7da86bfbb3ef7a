import { eq } from 'drizzle-orm';
import type { Database } from '../../db/database';

/** The id of the cursor up to which a backend's history is recorded in the control database. */
export const recordedCursor = (backend: string) => `opened/${backend}`;

/** The id of the last commit that is recorded of a backend or a shard; 0 if none ever was. */
export async function recordedPosition(
  { db, tables: { cursors } }: Database,
  backend: string,
): Promise<number> {
  const isIts = eq(cursors.id, recordedCursor(backend));
  const [row] = await db.select().from(cursors).where(isIts);
  return row?.position ?? 0;
}

/**
 * A statement after which the ids of a store's commits are above this one. Those of a store that
 * was recreated or restored start below what is recorded of it, where they would never be read.
 *
 * @param at the present instant, or SQL that reads it
 */
export const continueHistoryAfter = (recorded: number, at: number | string): string =>
  'INSERT INTO lock_history (id, at, changes, took) ' +
  `SELECT ${recorded}, ${at}, '[]', '' FROM (SELECT 1) AS one WHERE ${recorded} > 0 ` +
  `AND NOT EXISTS (SELECT 1 FROM lock_history WHERE id >= ${recorded})`;
