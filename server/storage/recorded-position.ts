import { eq, like, or } from 'drizzle-orm';
import type { Database } from '../../db/database';

/** The id of the cursor up to which a backend's history is recorded in the control database. */
export const recordedCursor = (backend: string) => `opened/${backend}`;

/**
 * The id of the cursor of the newest recorded commit, used while a commit that is still missing
 * holds the recorded cursor back. All commits before it that were visible then are recorded.
 */
export const aheadCursor = (backend: string) => `ahead/${backend}`;

const RESTORED = 'restored/';

/** The id of the cursor that stores when the backup made at `madeAt` was restored. */
export const restoredCursor = (madeAt: number) => `${RESTORED}${madeAt}`;

/** Every restore of the control database, as far as it knows. */
export async function restoredBackups({
  db,
  tables: { cursors },
}: Database): Promise<{ madeAt: number; restoredAt: number }[]> {
  const rows = await db
    .select()
    .from(cursors)
    .where(like(cursors.id, `${RESTORED}%`));
  return rows.map(({ id, position }) => {
    return { madeAt: Number(id.slice(RESTORED.length)), restoredAt: position };
  });
}

/** What the ids of the cursors of a backend's roll-ups begin with. */
export const rollUpCursors = (backend: string) => `rolled/${backend}/`;

/**
 * The id of the last commit of a backend or a shard of which anything is recorded, events or
 * roll-ups; 0 if nothing ever was.
 */
export async function recordedPosition(
  { db, tables: { cursors } }: Database,
  backend: string,
): Promise<number> {
  const ids = [recordedCursor(backend), aheadCursor(backend)];
  const prefix = rollUpCursors(backend);
  const rows = await db
    .select()
    .from(cursors)
    .where(or(...ids.map((id) => eq(cursors.id, id)), like(cursors.id, `${prefix}%`)));
  // `LIKE` treats an underscore in the prefix as a wildcard: what it found is checked again.
  return lastRecorded(rows, backend);
}

/** The same, from cursors that were read. */
export function lastRecorded(
  cursors: readonly { id: string; position: number }[],
  backend: string,
): number {
  const ids = [recordedCursor(backend), aheadCursor(backend)];
  const prefix = rollUpCursors(backend);
  const ofBackend = cursors.filter(({ id }) => ids.includes(id) || id.startsWith(prefix));
  return Math.max(0, ...ofBackend.map(({ position }) => position));
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
