import { isIPv6 } from 'node:net';
import { eq, lte } from 'drizzle-orm';
import type { Database } from '@/db/database';
import type { Db } from '@/db/narrow-db';
import type { Clock } from '../clock';
import { hashText } from './hash-text';

/** Failures are counted in windows of so long, in the database: a restart forgets none. */
export const SIGN_IN_WINDOW_MS = 15 * 60_000;
export const FAILURES_MAX_PER_ACCOUNT = 5;
export const FAILURES_MAX_PER_ADDRESS = 30;

/** Whether a try may go on. `account` must be answered like a wrong password, so that it tells nothing. */
export type SignInAllowance =
  | { outcome: 'allowed' }
  | { outcome: 'address' | 'account'; retryAfterMs: number };

interface Tally {
  id: string;
  max: number;
}

/**
 * Counts a try as failed before the password is looked at, so that tries made at once cannot outrun the count.
 * `settleSignIn` takes it back when the password was right.
 */
export async function spendSignIn(
  database: Database,
  clock: Clock,
  who: { name: string; address: string },
): Promise<SignInAllowance> {
  const now = clock.now();
  await forgetOld(database, now);
  const address = { id: addressId(who.address), max: FAILURES_MAX_PER_ADDRESS };
  const addressWaitMs = await spend(database, address, now);
  if (addressWaitMs > 0) return { outcome: 'address', retryAfterMs: addressWaitMs };
  const account = { id: accountId(who.name), max: FAILURES_MAX_PER_ACCOUNT };
  const accountWaitMs = await spend(database, account, now);
  if (accountWaitMs > 0) return { outcome: 'account', retryAfterMs: accountWaitMs };
  return { outcome: 'allowed' };
}

/** After the right password: the account starts afresh, and the address gets this try back. */
export async function settleSignIn(
  database: Database,
  tx: Db,
  who: { name: string; address: string },
): Promise<void> {
  const { signInFailures } = database.tables;
  await tx.delete(signInFailures).where(eq(signInFailures.id, accountId(who.name)));
  const isAddress = eq(signInFailures.id, addressId(who.address));
  const [row] = await database.forUpdate(tx.select().from(signInFailures).where(isAddress));
  if (!row) return;
  await tx
    .update(signInFailures)
    .set({ failures: Math.max(0, row.failures - 1) })
    .where(isAddress);
}

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
  const endsAt = row.windowStartedAt + SIGN_IN_WINDOW_MS;
  if (endsAt <= now) {
    await tx.update(signInFailures).set({ failures: 1, windowStartedAt: now }).where(isIt);
    return 0;
  }
  if (row.failures >= max) return endsAt - now;
  await tx
    .update(signInFailures)
    .set({ failures: row.failures + 1 })
    .where(isIt);
  return 0;
}

const accountId = (name: string) => hashText(`account\0${name}`);
const addressId = (address: string) => hashText(`address\0${networkOf(address)}`);

/** One customer of a network usually has a whole /64 of IPv6. */
function networkOf(address: string): string {
  if (!isIPv6(address) || /^::ffff:/i.test(address)) return address.replace(/^::ffff:/i, '');
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const groups = head.split(':').filter(Boolean);
  const missing =
    tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter(Boolean).length;
  const all = [...groups, ...Array(missing).fill('0'), ...(tail ?? '').split(':').filter(Boolean)];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
