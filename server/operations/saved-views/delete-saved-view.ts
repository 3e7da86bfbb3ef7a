import { eq } from 'drizzle-orm';
import { allOf } from '@/db/database';
import type { SavedViewRef } from '../../contract/console/console-inputs';
import { askDatabase } from '../ask-database';
import { confirmRole } from '../confirm-role';
import type { ControlContext } from '../operation-context';
import { requireUser } from '../require-user';

/**
 * Deletes one of the caller's own views; does nothing if it is gone, or another person's.
 *
 * @throws LockyardError `UNAUTHENTICATED` for a session that has ended
 */
export async function deleteSavedView(
  ctx: ControlContext,
  { id }: SavedViewRef,
): Promise<{ id: string }> {
  const { userId } = await requireUser(ctx, 'views');
  const { database } = ctx.runtime;
  const { savedViews } = database.tables;
  const isOwn = allOf(eq(savedViews.id, id), eq(savedViews.userId, userId));
  // Outside a transaction, a lost answer would leave unknown whether the view is deleted.
  await askDatabase(() =>
    database.transaction(async (tx) => {
      await confirmRole(ctx, tx, 'viewer');
      await tx.delete(savedViews).where(isOwn);
    }),
  );
  return { id };
}
