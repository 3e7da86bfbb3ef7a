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
