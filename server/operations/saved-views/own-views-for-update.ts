import { eq } from 'drizzle-orm';
import type { Database, Db } from '@/db/database';
import type { SavedView } from './list-saved-views';

/** A user's views, within a transaction that keeps others from changing them. */
export function ownViewsForUpdate(
  database: Database,
  tx: Db,
  userId: string,
): Promise<SavedView[]> {
  const { savedViews } = database.tables;
  const { id, name, query } = savedViews;
  return database.forUpdate(
    tx.select({ id, name, query }).from(savedViews).where(eq(savedViews.userId, userId)),
  );
}
