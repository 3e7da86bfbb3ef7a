import { eq } from 'drizzle-orm';
import type { Db } from '@/db/database';
import type { Role } from '../contract/console/console-terms';
import { LockyardError } from '../contract/errors';
import type { ControlContext } from './operation-context';
import { requireRole } from './require-role';

/**
 * Checks the caller's role again, in the transaction that acts: since `requireRole` the role may
 * have been lowered or the session ended, and this or another process may not know it yet. Neither
 * can happen before the transaction ends. Command line and server have no role that could change.
 *
 * Call it first: later, MySQL's snapshot or the change itself may hide what others have committed.
 *
 * @throws LockyardError `UNAUTHENTICATED` for a session that has ended, `FORBIDDEN`
 */
export async function confirmRole(ctx: ControlContext, tx: Db, role: Role): Promise<void> {
  const { actor, runtime } = ctx;
  if (actor?.kind !== 'user') return;
  const { database } = runtime;
  const { users, sessions } = database.tables;
  const [user] = await database.forUpdate(
    tx.select().from(users).where(eq(users.id, actor.userId)),
  );
  const [session] = await database.forUpdate(
    tx.select().from(sessions).where(eq(sessions.id, actor.sessionId)),
  );
  if (!user || user.disabledAt !== null || !session) {
    throw new LockyardError('UNAUTHENTICATED', 'This session has ended.');
  }
  await requireRole({ ...ctx, actor: { ...actor, role: user.role } }, role);
}
