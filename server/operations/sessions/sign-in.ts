import { verifyPassword } from '../../auth/passwords/password-hash';
import type { NewSession } from '../../auth/sessions/session-manager';
import { countSignInAttempt, revertSignInAttempt, verifyCounted } from '../../auth/sign-in-limits';
import type { SignInInput } from '../../contract/console/access-inputs';
import type { Role } from '../../contract/console/console-terms';
import { LockyardError } from '../../contract/errors';
import { askDatabase } from '../ask-database';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import type { ControlContext } from '../operation-context';
import { findUserByName, findUserForUpdate } from '../users/find-user';

/** The signed-in user, as pages may know them. */
export interface SignedInUser {
  id: string;
  name: string;
  role: Role;
}

export interface SignedIn {
  user: SignedInUser;
  /** Only for the cookie; never part of an answer's body. */
  session: NewSession;
}

const WRONG_CREDENTIALS =
  'Incorrect name or password. Sign-in is locked for up to 15 min after 5 failed attempts.';

/** The caller that signs in: whether its browser is known, and a count of its refusals. */
export interface SignInCaller {
  /** The id of the browser if it has signed in to this account before; else null. */
  knownBrowserOf(userId: string): string | null;
  /** Called for each attempt that is refused because of earlier failures, whatever its password. */
  countRefusedSignIn(): void;
}

const UNKNOWN_CALLER: SignInCaller = { knownBrowserOf: () => null, countRefusedSignIn() {} };

/**
 * Begins a session, and ends the one that the browser had. An unknown name, a wrong password, a
 * disabled and a locked account are answered alike, in the same time. Failures count for the
 * account and the caller's network together; a browser that has signed in to the account before has
 * a count of its own.
 *
 * @throws LockyardError `UNAUTHENTICATED`; `RATE_LIMITED` after too many failures from one network;
 *   `BACKEND_DOWN`
 */
export async function signIn(
  ctx: ControlContext,
  { name: typed, password }: SignInInput,
  caller: SignInCaller = UNKNOWN_CALLER,
): Promise<SignedIn> {
  const { database, clock, sessions } = ctx.runtime;
  // As when the name was set: keyboards of phones add a space after a word that they complete.
  const name = typed.trim();
  const user = await askDatabase(() => findUserByName(database, name));
  const known = user && caller.knownBrowserOf(user.id);
  const attempt = { name, address: ctx.address, known: known && `browser\0${known}` };
  const allowance = await askDatabase(() => countSignInAttempt(database, clock, attempt));
  if (allowance.outcome !== 'allowed') caller.countRefusedSignIn();
  if (allowance.outcome === 'network') {
    const { retryAfterMs } = allowance;
    throw new LockyardError('RATE_LIMITED', 'Too many failed sign-ins. Try again later.', {
      retryAfterMs,
    });
  }
  const verify = () => verifyPassword(password, user?.passwordHash ?? null);
  // A locked account takes just as long. That attempt was not counted.
  const isLocked = allowance.outcome === 'account';
  const isRight = isLocked ? await verify() : await verifyCounted(database, attempt, verify);
  const what = { act: 'session.signIn', subject: user?.name ?? 'unknown' } as const;
  const who = { name: what.subject, kind: 'user' } as const;
  if (!user || !isRight || user.disabledAt !== null || isLocked) {
    const { refusedActs } = ctx.runtime;
    await refusedActs.record(ctx, who, what, 'Sign-in failed.');
    // A first failure is written above. If a further one were not, unknown names, which share an
    // entry, would be answered sooner than an account.
    await refusedActs.write();
    throw new LockyardError('UNAUTHENTICATED', WRONG_CREDENTIALS);
  }
  const before = ctx.actor?.kind === 'user' ? ctx.actor : null;
  const signedIn = await auditedDatabaseChange(ctx, who, what, async (tx) => {
    const now = await findUserForUpdate(database, tx, user.id);
    // The user was removed or disabled, or has another password, since the check.
    if (now?.passwordHash !== user.passwordHash || now.disabledAt !== null) {
      throw new LockyardError('UNAUTHENTICATED', WRONG_CREDENTIALS);
    }
    const { id, name, role } = now;
    await revertSignInAttempt(database, tx, attempt);
    if (before) await sessions.end(tx, before.sessionId);
    const session = await sessions.begin(tx, id, ctx);
    const answer = { user: { id, name, role }, session };
    return before ? { answer, result: { endedSessionOf: before.name } } : { answer };
  });
  if (before) sessions.forget(before.userId);
  return signedIn;
}
