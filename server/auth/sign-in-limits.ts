import { eq, gt, inArray, like, lte } from 'drizzle-orm';
import { anyOf, type Database, type Db } from '@/db/database';
import type { Clock } from '../platform/clock';
import { networkOf } from '../platform/network-list';
import { hashText } from './hash-text';

/** The window in which failures count. Counts are in the database, so a restart keeps them. */
export const SIGN_IN_WINDOW_MS = 15 * 60_000;
/** For one account from one network, and for one account from one known browser. */
export const FAILURES_MAX = 5;
/** For all accounts from one network: many passwords on few accounts, or few passwords on many. */
export const FAILURES_MAX_PER_NETWORK = 100;
/** For one account from all networks: guesses from many machines. */
export const FAILURES_MAX_PER_ACCOUNT = 50;
/**
 * For one account from one network, or one known browser, while it is locked. Each of these
 * attempts takes as long as checking a password, so without a limit they would keep others out.
 */
export const LOCKED_ATTEMPTS_MAX = 20;

/** The origin of a sign-in attempt. */
export interface SignInAttempt {
  /** The name of the account, which may not exist. */
  name: string;
  /** The caller's address. */
  address: string;
  /**
   * The id of a browser that has signed in to this account before, or of the session in which the
   * password is entered again. It has its own budget, which no other caller can use up.
   */
  known: string | null;
}

/** Whether an attempt may continue. Answer `account` like a wrong password, to reveal nothing. */
export type SignInAllowance =
  | { outcome: 'allowed' }
  | { outcome: 'network' | 'account'; retryAfterMs: number };

interface FailureCount {
  id: string;
  max: number;
  whose: 'network' | 'account';
}

/**
 * Counts an attempt as failed before the password is checked, so that parallel attempts cannot
 * exceed the limits. `revertSignInAttempt` reverts that when the password was right. An attempt
 * that one limit refuses does not count for the others.
 */
export async function countSignInAttempt(
  database: Database,
  clock: Clock,
  attempt: SignInAttempt,
): Promise<SignInAllowance> {
  const now = clock.now();
  await deleteExpired(database, now);
  const tallies = countsOf(attempt);
  const { signInFailures } = database.tables;
  const ids = tallies.map(({ id }) => id);
  const rows = await database.db
    .select()
    .from(signInFailures)
    .where(inArray(signInFailures.id, ids));
  for (const { id, max, whose } of tallies) {
    const row = rows.find((each) => each.id === id);
    if (!row || row.failures < max) continue;
    return refusedBy(database, attempt, { whose, retryAfterMs: msUntilExpiry(row, now) }, now);
  }
  for (const { whose, ...tally } of tallies) {
    const retryAfterMs = await countFailure(database, tally, now);
    if (retryAfterMs > 0) return refusedBy(database, attempt, { whose, retryAfterMs }, now);
  }
  return { outcome: 'allowed' };
}

/** Limits attempts on a locked account: beyond the limit they are refused without a check. */
async function refusedBy(
  database: Database,
  attempt: SignInAttempt,
  { whose, retryAfterMs }: { whose: FailureCount['whose']; retryAfterMs: number },
  now: number,
): Promise<SignInAllowance> {
  if (whose === 'network') return { outcome: whose, retryAfterMs };
  const id = accountPart(attempt.name) + part(`locked\0${originOf(attempt)}`);
  const waitMs = await countFailure(database, { id, max: LOCKED_ATTEMPTS_MAX }, now);
  return waitMs > 0
    ? { outcome: 'network', retryAfterMs: waitMs }
    : { outcome: 'account', retryAfterMs };
}

/** Where an attempt comes from. */
const originOf = ({ address, known }: SignInAttempt) =>
  known === null ? `network\0${networkOf(address)}` : `known\0${known}`;

/** After a correct password: clears the caller's count, and subtracts this attempt from others. */
export async function revertSignInAttempt(
  database: Database,
  tx: Db,
  attempt: SignInAttempt,
): Promise<void> {
  const { signInFailures } = database.tables;
  const [own, ...wider] = countsOf(attempt);
  if (own) await tx.delete(signInFailures).where(eq(signInFailures.id, own.id));
  await subtractFailure(database, tx, wider);
}

/**
 * Verifies the password of an attempt that was counted. If it cannot be verified now, the attempt
 * is subtracted again: the caller learned nothing from it. Rejects as `verify`.
 */
export async function verifyCounted(
  database: Database,
  attempt: SignInAttempt,
  verify: () => Promise<boolean>,
): Promise<boolean> {
  try {
    return await verify();
  } catch (error) {
    await database.transaction((tx) => subtractFailure(database, tx, countsOf(attempt)));
    throw error;
  }
}

async function subtractFailure(database: Database, tx: Db, counts: FailureCount[]): Promise<void> {
  const { signInFailures } = database.tables;
  for (const { id } of counts) {
    const isCount = eq(signInFailures.id, id);
    const [row] = await database.forUpdate(tx.select().from(signInFailures).where(isCount));
    if (!row) continue;
    const failures = Math.max(0, row.failures - 1);
    await tx.update(signInFailures).set({ failures }).where(isCount);
  }
}

/** Forgets every failure of an account, from all networks and known browsers. In a transaction. */
export async function clearSignInFailures(database: Database, tx: Db, name: string): Promise<void> {
  const { signInFailures } = database.tables;
  await tx.delete(signInFailures).where(like(signInFailures.id, `${accountPart(name)}%`));
}

/** The counts of an attempt, the caller's own first. */
function countsOf(attempt: SignInAttempt): FailureCount[] {
  const account = accountPart(attempt.name);
  const origin = part(originOf(attempt));
  if (attempt.known !== null) {
    return [{ id: account + origin, max: FAILURES_MAX, whose: 'account' }];
  }
  return [
    { id: account + origin, max: FAILURES_MAX, whose: 'account' },
    { id: ANY_ACCOUNT + origin, max: FAILURES_MAX_PER_NETWORK, whose: 'network' },
    { id: account + ANY_NETWORK, max: FAILURES_MAX_PER_ACCOUNT, whose: 'account' },
  ];
}

/** An id is an account part and an origin part, so that all counts of an account can be found. */
const part = (text: string) => hashText(text).slice(0, 32);
const accountPart = (name: string) => part(`account\0${name}`);
const ANY_ACCOUNT = part('any account');
const ANY_NETWORK = part('any network');

/** Also deletes counts that begin more than a window from now: the clock was set back since. */
async function deleteExpired(database: Database, now: number): Promise<void> {
  const { windowStartedAt } = database.tables.signInFailures;
  const isExpired = anyOf(
    lte(windowStartedAt, now - SIGN_IN_WINDOW_MS),
    gt(windowStartedAt, now + SIGN_IN_WINDOW_MS),
  );
  await database.transaction((tx) => tx.delete(database.tables.signInFailures).where(isExpired));
}

/** Counts one more failure if the limit allows it, else returns the milliseconds until it does. */
async function countFailure(
  database: Database,
  tally: Pick<FailureCount, 'id' | 'max'>,
  now: number,
): Promise<number> {
  try {
    return await database.transaction((tx) => countFailureWithin(database, tx, tally, now));
  } catch (error) {
    if (!database.isDuplicateKey(error)) throw error;
    return database.transaction((tx) => countFailureWithin(database, tx, tally, now));
  }
}

async function countFailureWithin(
  database: Database,
  tx: Db,
  { id, max }: Pick<FailureCount, 'id' | 'max'>,
  now: number,
): Promise<number> {
  const { signInFailures } = database.tables;
  const isThisCount = eq(signInFailures.id, id);
  const [row] = await database.forUpdate(tx.select().from(signInFailures).where(isThisCount));
  if (!row) {
    await tx.insert(signInFailures).values({ id, failures: 1, windowStartedAt: now });
    return 0;
  }
  if (row.failures >= max) return msUntilExpiry(row, now);
  await tx
    .update(signInFailures)
    .set({ failures: row.failures + 1 })
    .where(isThisCount);
  return 0;
}

/** Expired windows have been deleted already, unless this one ended just now. */
function msUntilExpiry({ windowStartedAt }: { windowStartedAt: number }, now: number): number {
  return Math.max(1, windowStartedAt + SIGN_IN_WINDOW_MS - now);
}
