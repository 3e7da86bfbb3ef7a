import { eq, inArray, like, lte } from 'drizzle-orm';
import type { Database } from '@/db/database';
import type { Db } from '@/db/narrow-db';
import type { Clock } from '../platform/clock';
import { networkOf } from '../platform/network-list';
import { hashText } from './hash-text';

/** Failures are counted in windows of so long, in the database: a restart forgets none. */
export const SIGN_IN_WINDOW_MS = 15 * 60_000;
/** Of one account from one network, and of one account from one browser that has signed in to it before. */
export const FAILURES_MAX = 5;
/** Of all accounts from one network: many passwords tried on few accounts, or few on many. */
export const FAILURES_MAX_PER_NETWORK = 100;
/** Of one account from all networks: guesses from many machines. */
export const FAILURES_MAX_PER_ACCOUNT = 50;

/** Who tries. */
export interface Guesser {
  /** The account, as typed. */
  name: string;
  /** The caller's address. */
  address: string;
  /**
   * The browser, where it has signed in to this account before, or the session whose password is asked for again. It has
   * a budget of its own, which no other caller can use up.
   */
  known: string | null;
}

/** Whether a try may go on. `account` must be answered like a wrong password, so that it tells nothing. */
export type SignInAllowance =
  | { outcome: 'allowed' }
  | { outcome: 'network' | 'account'; retryAfterMs: number };

interface Tally {
  id: string;
  max: number;
  whose: 'network' | 'account';
}

/**
 * Counts a try as failed before the password is looked at, so that tries made at once cannot outrun the counts.
 * `settleSignIn` takes it back when the password was right. A try that one count refuses is added to none.
 */
export async function spendSignIn(
  database: Database,
  clock: Clock,
  who: Guesser,
): Promise<SignInAllowance> {
  const now = clock.now();
  await forgetOld(database, now);
  const tallies = talliesOf(who);
  const { signInFailures } = database.tables;
  const ids = tallies.map(({ id }) => id);
  const rows = await database.db
    .select()
    .from(signInFailures)
    .where(inArray(signInFailures.id, ids));
  for (const { id, max, whose } of tallies) {
    const row = rows.find((each) => each.id === id);
    if (!row || row.failures < max) continue;
    return { outcome: whose, retryAfterMs: untilOver(row, now) };
  }
  for (const tally of tallies) {
    const retryAfterMs = await spend(database, tally, now);
    if (retryAfterMs > 0) return { outcome: tally.whose, retryAfterMs };
  }
  return { outcome: 'allowed' };
}

/** After the right password: the caller's own count starts afresh, and the wider ones get this try back. */
export async function settleSignIn(database: Database, tx: Db, who: Guesser): Promise<void> {
  const { signInFailures } = database.tables;
  const [own, ...wider] = talliesOf(who);
  if (own) await tx.delete(signInFailures).where(eq(signInFailures.id, own.id));
  for (const { id } of wider) {
    const isIt = eq(signInFailures.id, id);
    const [row] = await database.forUpdate(tx.select().from(signInFailures).where(isIt));
    if (!row) continue;
    const failures = Math.max(0, row.failures - 1);
    await tx.update(signInFailures).set({ failures }).where(isIt);
  }
}

/** Forgets every failure of an account, from wherever, known browsers included. Part of a transaction. */
export async function clearSignInFailures(database: Database, tx: Db, name: string): Promise<void> {
  const { signInFailures } = database.tables;
  await tx.delete(signInFailures).where(like(signInFailures.id, `${accountPart(name)}%`));
}

/** The caller's own count first. */
function talliesOf({ name, address, known }: Guesser): Tally[] {
  const account = accountPart(name);
  if (known !== null) {
    return [{ id: account + part(`known\0${known}`), max: FAILURES_MAX, whose: 'account' }];
  }
  const network = part(`network\0${networkOf(address)}`);
  return [
    { id: account + network, max: FAILURES_MAX, whose: 'account' },
    { id: ANY_ACCOUNT + network, max: FAILURES_MAX_PER_NETWORK, whose: 'network' },
    { id: account + ANY_NETWORK, max: FAILURES_MAX_PER_ACCOUNT, whose: 'account' },
  ];
}

/** An id is an account's part and a place's, so that all counts of an account can be found. */
const part = (text: string) => hashText(text).slice(0, 32);
const accountPart = (name: string) => part(`account\0${name}`);
const ANY_ACCOUNT = part('any account');
const ANY_NETWORK = part('any network');

async function forgetOld(database: Database, now: number): Promise<void> {
  const { signInFailures } = database.tables;
  const isOld = lte(signInFailures.windowStartedAt, now - SIGN_IN_WINDOW_MS);
  await database.transaction((tx) => tx.delete(signInFailures).where(isOld));
}

/** Counts one more if there is room; else how long until there is, in milliseconds. */
async function spend(database: Database, tally: Tally, now: number): Promise<number> {
  try {
    return await database.transaction((tx) => spendWithin(database, tx, tally, now));
  } catch (error) {
    if (!database.isDuplicateKey(error)) throw error;
    return database.transaction((tx) => spendWithin(database, tx, tally, now));
  }
}

async function spendWithin(
  database: Database,
  tx: Db,
  { id, max }: Tally,
  now: number,
): Promise<number> {
  const { signInFailures } = database.tables;
  const isIt = eq(signInFailures.id, id);
  const [row] = await database.forUpdate(tx.select().from(signInFailures).where(isIt));
  if (!row) {
    await tx.insert(signInFailures).values({ id, failures: 1, windowStartedAt: now });
    return 0;
  }
  if (row.failures >= max) return untilOver(row, now);
  await tx
    .update(signInFailures)
    .set({ failures: row.failures + 1 })
    .where(isIt);
  return 0;
}

/** A window that is over was deleted, unless it ended just now. */
function untilOver({ windowStartedAt }: { windowStartedAt: number }, now: number): number {
  return Math.max(1, windowStartedAt + SIGN_IN_WINDOW_MS - now);
}
