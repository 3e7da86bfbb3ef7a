import { eq } from 'drizzle-orm';
import { isDemoToken } from '../../auth/demo-token';
import { hashPassword } from '../../auth/passwords/password-hash';
import { randomText } from '../../auth/random-text';
import { LockyardError } from '../../contract/errors';
import { isLoopback } from '../../platform/network-list';
import { askDatabase } from '../ask-database';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import type { ControlContext } from '../operation-context';
import { insertUser } from '../users/create-user';
import { findUserByName } from '../users/find-user';
import type { SignedIn } from './sign-in';

/** The user of the demo's link. Its random password is never shown: only the link signs in. */
const DEMO_USER = { name: 'demo', role: 'admin' } as const;

const WRONG_LINK = 'This is not the whole link of this demo, which it prints at its start.';

/**
 * Signs in by the link of the demo: only in a demo, only from this machine itself.
 *
 * @throws LockyardError `NOT_FOUND` on a server that is no demo, `FORBIDDEN` for a wrong link or
 *   another machine
 */
export async function signInToDemo(
  ctx: ControlContext,
  { token }: { token: string },
): Promise<SignedIn> {
  const { config, database, clock, secret, sessions } = ctx.runtime;
  if (!config.demo) throw new LockyardError('NOT_FOUND', 'This server is not a demo.');
  if (!isLoopback(ctx.address)) {
    throw new LockyardError('FORBIDDEN', 'This link only works on the machine that runs the demo.');
  }
  if (!isDemoToken(token, secret)) throw new LockyardError('FORBIDDEN', WRONG_LINK);
  const known = await askDatabase(() => findUserByName(database, DEMO_USER.name));
  const passwordHash = known?.passwordHash ?? (await hashPassword(randomText(32)));
  const what = { act: 'session.signIn', subject: DEMO_USER.name } as const;
  return auditedDatabaseChange(ctx, { name: DEMO_USER.name, kind: 'user' }, what, async (tx) => {
    const { users } = database.tables;
    // Read again: the link may be opened twice before there is the user.
    const [user] = await database.forUpdate(
      tx.select().from(users).where(eq(users.name, DEMO_USER.name)),
    );
    const id =
      user?.id ??
      (await insertUser(database, tx, { ...DEMO_USER, passwordHash, createdAt: clock.now() }));
    await tx.update(users).set({ role: DEMO_USER.role, disabledAt: null }).where(eq(users.id, id));
    const session = await sessions.begin(tx, id, ctx);
    return { answer: { user: { id, ...DEMO_USER }, session } };
  });
}
