import { eq } from 'drizzle-orm';
import { LockyardError } from '../../contract/errors';
import { askDatabase } from '../ask-database';
import type { AuditAct, AuditActor, AuditedAct } from '../audit/audit-log';
import { permit } from '../audit/permit';
import type { ControlContext } from '../operation-context';
import type { UserRow } from './find-user';

/** An admin's act on one person, permitted and named for the audit log. */
export interface UserAct {
  who: AuditActor;
  what: AuditedAct;
  user: UserRow;
}

/** Throws as `permit`, and `NOT_FOUND`. */
export async function permitUserAct(
  ctx: ControlContext,
  act: AuditAct,
  id: string,
  seen: Record<string, unknown>,
): Promise<UserAct> {
  const { db, tables } = ctx.runtime.database;
  const { users } = tables;
  const [user] = await askDatabase(() => db.select().from(users).where(eq(users.id, id)));
  const what = { act, subject: user?.name ?? id, seen };
  const who = await permit(ctx, 'admin', what);
  if (!user) throw new LockyardError('NOT_FOUND', 'There is no such person.');
  return { who, what, user };
}
