import { eq } from 'drizzle-orm';
import { hashPassword, verifyPassword } from '../../auth/passwords/password-hash';
import { checkPassword } from '../../auth/passwords/password-rules';
import type { NewSession } from '../../auth/sessions/session-manager';
import { countSignInAttempt, revertSignInAttempt, verifyCounted } from '../../auth/sign-in-limits';
import type { ChangePasswordInput } from '../../contract/console/access-inputs';
import { LockyardError } from '../../contract/errors';
import { askDatabase } from '../ask-database';
import { ownAccountActor } from '../audit/audit-actor';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import type { ControlContext } from '../operation-context';
import { findUserByName, selectUserForUpdate } from './find-user';

/**
 * Changes the caller's own password, ends their other sessions and replaces this one, whose cookie
 * may have been copied. Guesses of the current password count for this session only.
 *
 * @throws LockyardError `UNAUTHENTICATED` for a session that has ended, `FORBIDDEN` for a wrong
 *   current password, `INVALID` for a new one that is weak or the same, `RATE_LIMITED`, `CONFLICT`
 *   if it has been changed since it was checked
 */
export async function changePassword(
  ctx: ControlContext,
  { current, next }: ChangePasswordInput,
): Promise<{ session: NewSession }> {
  const { actor, runtime } = ctx;
  if (actor?.kind !== 'user') throw new LockyardError('UNAUTHENTICATED', 'Sign in first.');
  const { database, clock, sessions } = runtime;
  const { users } = database.tables;
  const known = `session\0${actor.sessionId}`;
  const attempt = { name: actor.name, address: ctx.address, known };
  const who = ownAccountActor(actor);
  const what = { act: 'session.changePassword', subject: actor.name } as const;

  checkPassword(next, actor.name);
  if (next === current) {
    throw new LockyardError('INVALID', 'The new password must differ from the current one.');
  }
  const allowance = await askDatabase(() => countSignInAttempt(database, clock, attempt));
  if (allowance.outcome !== 'allowed') {
    const { retryAfterMs } = allowance;
    throw new LockyardError('RATE_LIMITED', 'Too many failed attempts. Try again later.', {
      retryAfterMs,
    });
  }
  const user = await askDatabase(() => findUserByName(database, actor.name));
  const verify = () => verifyPassword(current, user?.passwordHash ?? null);
  if (!(await verifyCounted(database, attempt, verify))) {
    await runtime.refusedActs.record(ctx, who, what, 'Incorrect current password.');
    throw new LockyardError('FORBIDDEN', 'Incorrect current password.');
  }
  const passwordHash = await hashPassword(next);
  const session = await auditedDatabaseChange(ctx, who, what, async (tx) => {
    const row = await selectUserForUpdate(database, tx, actor.userId);
    if (row.passwordHash !== user?.passwordHash) {
      throw new LockyardError('CONFLICT', 'The password has been changed in the meantime.');
    }
    await tx.update(users).set({ passwordHash }).where(eq(users.id, actor.userId));
    await revertSignInAttempt(database, tx, attempt);
    await sessions.endAll(tx, actor.userId, actor.sessionId);
    return { answer: await sessions.replace(tx, actor, ctx) };
  });
  sessions.forget(actor.userId);
  return { session };
}
