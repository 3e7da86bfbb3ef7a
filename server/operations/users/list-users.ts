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
}

/** All users, disabled ones included, oldest first. */
export async function listUsers(ctx: ControlContext): Promise<UserSummary[]> {
  await requireRole(ctx, 'admin');
  const { db, tables } = ctx.runtime.database;
  const { users } = tables;
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
  return rows.map((row) => ({ ...row, role: row.role as Role }));
}
