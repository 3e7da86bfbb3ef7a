import { eq } from 'drizzle-orm';
import { randomText } from '../../auth/random-text';
import type { SaveViewInput } from '../../contract/console/console-inputs';
import { LockyardError } from '../../contract/errors';
import { askDatabase } from '../ask-database';
import { confirmRole } from '../confirm-role';
import type { ControlContext } from '../operation-context';
import { requireUser } from '../require-user';
import { ownViewsForUpdate } from './own-views-for-update';

const ID_CHARS = 16;

/** How many views one person can save. */
export const SAVED_VIEWS_MAX = 20;

/**
 * Saves a view for the caller only, in place of an earlier one of that name.
 *
 * @throws LockyardError `UNAUTHENTICATED` for a session that has ended, `INVALID` if the caller has
 *   `SAVED_VIEWS_MAX` views
 */
export async function saveView(
  ctx: ControlContext,
  { name, query }: SaveViewInput,
): Promise<{ id: string }> {
  const { userId } = await requireUser(ctx, 'views');
  const { database, clock } = ctx.runtime;
  const { savedViews } = database.tables;
  return askDatabase(() =>
    database.transaction(async (tx) => {
      await confirmRole(ctx, tx, 'viewer');
      const own = await ownViewsForUpdate(database, tx, userId);
      const known = own.find((view) => view.name === name);
      if (known) {
        await tx.update(savedViews).set({ query }).where(eq(savedViews.id, known.id));
        return { id: known.id };
      }
      if (own.length >= SAVED_VIEWS_MAX) {
        throw new LockyardError('INVALID', `You have ${own.length} views. Delete one first.`);
      }
      const id = randomText(ID_CHARS);
      await tx.insert(savedViews).values({ id, userId, name, query, createdAt: clock.now() });
      return { id };
    }),
  );
}
