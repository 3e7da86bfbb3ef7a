import { asc } from 'drizzle-orm';
import type { Role } from '../../contract/console/console-terms';
import { askDatabase } from '../ask-database';
import type { ControlContext } from '../operation-context';
import { requireRole } from '../require-role';

/** A person as admins see them. */
export interface UserSummary {
  id: string;
  name: string;
  role: Role;
  createdAt: number;
  /** Null while they may sign in. */
  disabledAt: number | null;
  /** How many of their sessions are open. */
  sessions: number;
}

/** All users, disabled ones included, oldest first. */
export async function listUsers(ctx: ControlContext): Promise<UserSummary[]> {
  await requireRole(ctx, 'admin');
  const { database, sessions } = ctx.runtime;
  const { db, tables } = database;
  const { users } = tables;
  const open = await askDatabase(() => sessions.open.countByUser());
  const rows = await askDatabase(() =>
    db
      .select({
        id: users.id,
        name: users.name,
        role: users.role,
        createdAt: users.createdAt,
        disabledAt: users.disabledAt,
      })
      .from(users)
      .orderBy(asc(users.createdAt), asc(users.id)),
  );
  return rows.map((row) => ({ ...row, sessions: open.get(row.id) ?? 0 }));
}
