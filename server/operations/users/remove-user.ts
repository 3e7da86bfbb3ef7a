import { eq } from 'drizzle-orm';
import type { RemoveUserInput } from '../../contract/console/access-inputs';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import type { ControlContext } from '../operation-context';
import {
  permitUserAct,
  refuseLastAdmin,
  selectAdminsForUpdate,
  selectUserForUpdate,
} from './find-user';

/**
 * Removes a person for good, and ends all sessions within 1 s. Their name stays in the audit log.
 *
 * @throws LockyardError as `permitUserAct`; `CONFLICT` for the last enabled admin
 */
export async function removeUser(
  ctx: ControlContext,
  { id }: RemoveUserInput,
): Promise<{ id: string }> {
  const { database, sessions } = ctx.runtime;
  const { users, savedViews } = database.tables;
  const { who, what } = await permitUserAct(ctx, 'user.remove', id, {});
  const answer = await auditedDatabaseChange(ctx, who, what, async (tx) => {
    const admins = await selectAdminsForUpdate(database, tx);
    const user = await selectUserForUpdate(database, tx, id);
    refuseLastAdmin(admins, id);
    await sessions.endAll(tx, id);
    await tx.delete(savedViews).where(eq(savedViews.userId, id));
    await tx.delete(users).where(eq(users.id, id));
    return { answer: { id }, result: { role: user.role } };
  });
  sessions.forget(id);
  return answer;
}
