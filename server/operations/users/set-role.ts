import { eq } from 'drizzle-orm';
import type { SetRoleInput } from '../../contract/console/access-inputs';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import type { ControlContext } from '../operation-context';
import {
  permitUserAct,
  refuseLastAdmin,
  selectAdminsForUpdate,
  selectUserForUpdate,
} from './find-user';

/**
 * Gives a person another role, from their next request on.
 *
 * @throws LockyardError as `permitUserAct`; `CONFLICT` for the last enabled admin
 */
export async function setRole(
  ctx: ControlContext,
  { id, role }: SetRoleInput,
): Promise<{ id: string }> {
  const { database, sessions } = ctx.runtime;
  const { users } = database.tables;
  const { who, what } = await permitUserAct(ctx, 'user.setRole', id, { role });
  const answer = await auditedDatabaseChange(ctx, who, what, async (tx) => {
    const admins = await selectAdminsForUpdate(database, tx);
    const user = await selectUserForUpdate(database, tx, id);
    if (role !== 'admin') refuseLastAdmin(admins, id);
    await tx.update(users).set({ role }).where(eq(users.id, id));
    const result = { from: user.role, to: role };
    return { answer: { id }, result, isUnchanged: user.role === role };
  });
  sessions.forget(id);
  return answer;
}
