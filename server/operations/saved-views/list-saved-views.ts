import { asc, eq } from 'drizzle-orm';
import { askDatabase } from '../ask-database';
import type { ControlContext } from '../operation-context';
import { requireUser } from '../require-user';

/** A view of the lock list that a person has saved. */
export interface SavedView {
  id: string;
  name: string;
  /** The part of its URL after the `?`. */
  query: string;
}

/** The caller's own views, by name. */
export async function listSavedViews(ctx: ControlContext): Promise<SavedView[]> {
  const { userId } = await requireUser(ctx, 'views');
  const { db, tables } = ctx.runtime.database;
  const { id, name, query } = tables.savedViews;
  return askDatabase(() =>
    db
      .select({ id, name, query })
      .from(tables.savedViews)
      .where(eq(tables.savedViews.userId, userId))
      .orderBy(asc(name)),
  );
}
