import { hashPassword } from '../../auth/passwords/password-hash';
import { checkPassword } from '../../auth/passwords/password-rules';
import { checkSetupToken, consumeSetupToken } from '../../auth/setup-link';
import { checkUserName } from '../../auth/user-name-rules';
import type { SetupInput } from '../../contract/console/access-inputs';
import { askDatabase } from '../ask-database';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import type { ControlContext } from '../operation-context';
import type { SignedIn } from '../sessions/sign-in';
import { insertUser } from './create-user';

/**
 * Creates the first admin by the link that the server printed, and signs them in. Works once, and
 * only while there is no user.
 *
 * @throws LockyardError `CONFLICT` when there is a user, `FORBIDDEN` for a wrong, used or expired
 *   token, `INVALID` for a weak password or a name of the system
 */
export async function setUpFirstAdmin(
  ctx: ControlContext,
  { token, name, password }: SetupInput,
): Promise<SignedIn> {
  const { database, clock, sessions } = ctx.runtime;
  await askDatabase(() => checkSetupToken(database, database.db, token, clock.now()));
  checkUserName(name, []);
  checkPassword(password, name);
  const passwordHash = await hashPassword(password);
  const what = { act: 'session.setup', subject: name } as const;
  return auditedDatabaseChange(ctx, { name, kind: 'user' }, what, async (tx) => {
    const createdAt = clock.now();
    await consumeSetupToken(database, tx, token, createdAt);
    const role = 'admin' as const;
    const id = await insertUser(database, tx, { name, role, passwordHash, createdAt });
    const session = await sessions.begin(tx, id, ctx);
    return { answer: { user: { id, name, role }, session } };
  });
}
