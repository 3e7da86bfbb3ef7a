import { and, eq, type SQL } from 'drizzle-orm';
import type { SavedViewRef } from '../../contract/console/console-inputs';
import { askDatabase } from '../ask-database';
import type { ControlContext } from '../operation-context';
import { requirePerson } from './require-person';

/** Deletes a view of the caller's own; one that is gone, or another person's, is left alone. */
export async function deleteSavedView(
  ctx: ControlContext,
  { id }: SavedViewRef,
): Promise<{ id: string }> {
  const userId = await requirePerson(ctx);
  const { db, tables } = ctx.runtime.database;
  const { savedViews } = tables;
  const isOwn = and(eq(savedViews.id, id), eq(savedViews.userId, userId)) as SQL;
  await askDatabase(() => db.delete(savedViews).where(isOwn));
  return { id };
}
