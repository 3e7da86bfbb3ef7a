import { eq } from 'drizzle-orm';
import type { ChangeViewInput } from '../../contract/console/console-inputs';
import { LockyardError } from '../../contract/errors';
import { askDatabase } from '../ask-database';
import { confirmRole } from '../confirm-role';
import type { ControlContext } from '../operation-context';
import { requireUnchanged } from '../require-unchanged';
import { requireUser } from '../require-user';
import { ownViewsForUpdate } from './own-views-for-update';

/**
 * Changes the name and the query of one of the caller's own views.
 *
 * @throws LockyardError `UNAUTHENTICATED` for a session that has ended, `NOT_FOUND` if the view is
 *   gone or another person's, `CONFLICT` if it is not as the caller saw it or another of the
 *   caller's views has the name
 */
export async function changeSavedView(
  ctx: ControlContext,
  { id, name, query, seen }: ChangeViewInput,
): Promise<{ id: string }> {
  const { userId } = await requireUser(ctx, 'views');
  const { database } = ctx.runtime;
  const { savedViews } = database.tables;
  await askDatabase(() =>
    database.transaction(async (tx) => {
      await confirmRole(ctx, tx, 'viewer');
      const own = await ownViewsForUpdate(database, tx, userId);
      const view = own.find((each) => each.id === id);
      if (!view) throw new LockyardError('NOT_FOUND', 'This view was deleted meanwhile.');
      const present = { name: view.name, query: view.query };
      requireUnchanged(present, { seen, wanted: { name, query }, what: `The view "${seen.name}"` });
      if (own.some((each) => each.id !== id && each.name === name)) {
        throw new LockyardError('CONFLICT', `Another of your views is named "${name}".`);
      }
      await tx.update(savedViews).set({ name, query }).where(eq(savedViews.id, id));
    }),
  );
  return { id };
}
