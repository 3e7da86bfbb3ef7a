import { randomBytes } from 'node:crypto';
import { eq, like } from 'drizzle-orm';
import type { Database, Db } from '@/db/database';
import { LockyardError } from '../contract/errors';
import { HOUR_MS } from '../core/time-units';
import type { Clock } from '../platform/clock';
import { hashText } from './hash-text';

/** How long a setup link is valid. */
export const SETUP_LINK_MAX_MS = HOUR_MS;

const PREFIX = 'setup-link:';
const TOKEN_BYTES = 32;

/** Whether sign-in is impossible because there are no users. */
export async function isSetupNeeded(database: Database): Promise<boolean> {
  return !(await hasUsers(database.db, database));
}

/** A one-use token for the first admin, valid for 1 h; null if there are users. Stored hashed. */
export async function createSetupToken(database: Database, clock: Clock): Promise<string | null> {
  if (!(await isSetupNeeded(database))) return null;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const now = clock.now();
  await database.db
    .insert(database.tables.settings)
    .values({ id: idOf(token), value: String(now + SETUP_LINK_MAX_MS), changedAt: now });
  return token;
}

/**
 * Whether a setup token has not expired and none has been used so far. Reads without a lock: the
 * answer may have changed when the token is used.
 */
export async function isSetupToken(
  { db, tables: { settings } }: Database,
  token: string,
  now: number,
): Promise<boolean> {
  const [link] = await db
    .select()
    .from(settings)
    .where(eq(settings.id, idOf(token)));
  return isCurrent(link, now);
}

/**
 * Checks a setup token without using it up.
 *
 * @throws LockyardError `CONFLICT` when there is a user already, `FORBIDDEN` for a wrong, used or
 *   expired token
 */
export async function checkSetupToken(
  database: Database,
  db: Db,
  token: string,
  now: number,
): Promise<void> {
  const { settings } = database.tables;
  const [link] = await database.forUpdate(
    db
      .select()
      .from(settings)
      .where(eq(settings.id, idOf(token))),
  );
  if (await hasUsers(db, database)) {
    throw new LockyardError('CONFLICT', 'Already set up. Sign in instead.');
  }
  if (!isCurrent(link, now)) {
    throw new LockyardError(
      'FORBIDDEN',
      'This setup link is invalid or has expired. Restart the server to get a new one.',
    );
  }
}

/**
 * Uses up a setup token within the transaction that creates the first admin; every other token
 * becomes invalid. If several are used at the same time, one succeeds. Throws as `checkSetupToken`.
 */
export async function consumeSetupToken(
  database: Database,
  tx: Db,
  token: string,
  now: number,
): Promise<void> {
  const { settings } = database.tables;
  const isLink = like(settings.id, `${PREFIX}%`);
  await database.forUpdate(tx.select().from(settings).where(isLink));
  await checkSetupToken(database, tx, token, now);
  await tx.delete(settings).where(isLink);
}

/** In a transaction this must be the first plain read: MySQL takes its snapshot then. */
async function hasUsers(db: Db, { tables }: Database): Promise<boolean> {
  const rows = await db.select({ id: tables.users.id }).from(tables.users).limit(1);
  return rows.length > 0;
}

const isCurrent = (link: { value: string } | undefined, now: number) =>
  link !== undefined && Number(link.value) > now;

const idOf = (token: string) => PREFIX + hashText(token);
