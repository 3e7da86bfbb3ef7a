import { eq, isNull } from 'drizzle-orm';
import { allOf, type Database, type Db } from '@/db/database';
import type { Schema } from '@/db/schema';
import { LockyardError } from '../../contract/errors';
import { askDatabase } from '../ask-database';
import type { AuditAct, AuditedAct } from '../audit/audited-act';
import { type PermittedActor, permit } from '../audit/permit';
import type { ControlContext } from '../operation-context';

export type UserRow = Schema['users']['$inferSelect'];

/** A user as it is now, locked until the transaction ends. Throws `NOT_FOUND`. */
export async function selectUserForUpdate(
  database: Database,
  tx: Db,
  id: string,
): Promise<UserRow> {
  const row = await findUserForUpdate(database, tx, id);
  if (!row) throw new LockyardError('NOT_FOUND', 'There is no such user.');
  return row;
}

/** Like `selectUserForUpdate`; null if there is no such user any more. */
export async function findUserForUpdate(
  database: Database,
  tx: Db,
  id: string,
): Promise<UserRow | null> {
  const { users } = database.tables;
  const [row] = await database.forUpdate(tx.select().from(users).where(eq(users.id, id)));
  return row ?? null;
}

export async function findUserByName(
  { db, tables }: Database,
  name: string,
): Promise<UserRow | null> {
  const { users } = tables;
  const [row] = await db.select().from(users).where(eq(users.name, name));
  return row ?? null;
}

/**
 * Locks the rows of all enabled admins until the transaction ends, and returns their ids. Call it
 * before `selectUserForUpdate`, so that all changes of people lock rows in the same order.
 */
export async function selectAdminsForUpdate(database: Database, tx: Db): Promise<string[]> {
  const { users } = database.tables;
  const isAdmin = allOf(eq(users.role, 'admin'), isNull(users.disabledAt));
  const rows = await database.forUpdate(tx.select({ id: users.id }).from(users).where(isAdmin));
  return rows.map(({ id }) => id);
}

/**
 * Without an enabled admin, people could not be managed any more.
 *
 * @throws LockyardError `CONFLICT` if the last one would go
 */
export function refuseLastAdmin(admins: string[], leaving: string): void {
  if (admins.length === 1 && admins[0] === leaving) {
    throw new LockyardError('CONFLICT', 'This is the last enabled admin. Add another one first.');
  }
}

/** An admin's act on one user, permitted and named for the audit log. */
export interface UserAct {
  who: PermittedActor;
  what: AuditedAct;
  user: UserRow;
}

/** Permits an admin's act on one user. Throws as `permit`, and `NOT_FOUND`. */
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
  if (!user) throw new LockyardError('NOT_FOUND', 'There is no such user.');
  return { who, what, user };
}
