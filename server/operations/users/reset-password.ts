import { eq } from 'drizzle-orm';
import { hashPassword } from '../../auth/passwords/password-hash';
import { checkPassword } from '../../auth/passwords/password-rules';
import { clearSignInFailures } from '../../auth/sign-in-limits';
import type { ResetPasswordInput } from '../../contract/console/access-inputs';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import type { ControlContext } from '../operation-context';
import { permitUserAct, selectUserForUpdate } from './find-user';

/**
 * Gives a person another password, ends all their sessions and forgets their failed sign-ins from
 * all networks.
 *
 * @throws LockyardError as `permitUserAct`; `INVALID` for a weak password
 */
export async function resetPassword(
  ctx: ControlContext,
  { id, password }: ResetPasswordInput,
): Promise<{ id: string }> {
  const { database, sessions } = ctx.runtime;
  const { users } = database.tables;
  const { who, what, user } = await permitUserAct(ctx, 'user.resetPassword', id, {});
  checkPassword(password, user.name);
  const passwordHash = await hashPassword(password);
  const answer = await auditedDatabaseChange(ctx, who, what, async (tx) => {
    await selectUserForUpdate(database, tx, id);
    await tx.update(users).set({ passwordHash }).where(eq(users.id, id));
    await clearSignInFailures(database, tx, user.name);
    await sessions.endAll(tx, id);
    return { answer: { id } };
  });
  sessions.forget(id);
  return answer;
}
