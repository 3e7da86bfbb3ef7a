import { eq } from 'drizzle-orm';
import type { SetDisabledInput } from '../../contract/console/access-inputs';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import type { ControlContext } from '../operation-context';
import {
  permitUserAct,
  refuseLastAdmin,
  selectAdminsForUpdate,
  selectUserForUpdate,
} from './find-user';

/**
 * Disables a user, whose sessions end within 1 s, or enables them again.
 *
 * @throws LockyardError as `permitUserAct`; `CONFLICT` for the last enabled admin
 */
export async function setDisabled(
  ctx: ControlContext,
  { id, disabled }: SetDisabledInput,
): Promise<{ id: string }> {
  const { database, sessions, clock } = ctx.runtime;
  const { users } = database.tables;
  const { who, what } = await permitUserAct(ctx, 'user.setDisabled', id, { disabled });
  const answer = await auditedDatabaseChange(ctx, who, what, async (tx) => {
    const admins = await selectAdminsForUpdate(database, tx);
    const user = await selectUserForUpdate(database, tx, id);
    if (disabled) refuseLastAdmin(admins, id);
    const disabledAt = disabled ? (user.disabledAt ?? clock.now()) : null;
    await tx.update(users).set({ disabledAt }).where(eq(users.id, id));
    if (disabled) await sessions.endAll(tx, id);
    return { answer: { id }, isUnchanged: disabled === (user.disabledAt !== null) };
  });
  sessions.forget(id);
  return answer;
}
