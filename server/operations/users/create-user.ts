import type { Database, Db } from '@/db/database';
import { hashPassword } from '../../auth/passwords/password-hash';
import { checkPassword } from '../../auth/passwords/password-rules';
import { randomText } from '../../auth/random-text';
import { checkUserName } from '../../auth/user-name-rules';
import type { CreatePersonInput } from '../../contract/console/access-inputs';
import type { Role } from '../../contract/console/console-terms';
import { LockyardError } from '../../contract/errors';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import { permit } from '../audit/permit';
import type { ControlContext } from '../operation-context';
import { selectAdminsForUpdate } from './find-user';

/**
 * Adds a person who may sign in.
 *
 * @param input `disabled`: they may not until they are enabled
 * @throws LockyardError `INVALID` for a weak password or a name of the system, `CONFLICT` for a
 *   name that is taken or could be mistaken for one that is
 */
export async function createUser(
  ctx: ControlContext,
  { name, role, password, disabled = false }: CreatePersonInput & { disabled?: boolean },
): Promise<{ id: string }> {
  const { database, clock } = ctx.runtime;
  const seen = { role, ...(disabled && { disabled }) };
  const what = { act: 'user.create', subject: name, seen } as const;
  const who = await permit(ctx, 'admin', what);
  checkPassword(password, name);
  const passwordHash = await hashPassword(password);
  return auditedDatabaseChange(ctx, who, what, async (tx) => {
    await refuseLookalikeName(database, tx, name);
    const createdAt = clock.now();
    const disabledAt = disabled ? createdAt : null;
    const user = { name, role, passwordHash, createdAt, disabledAt };
    const id = await insertUser(database, tx, user);
    return { answer: { id }, result: { id, ...seen } };
  });
}

/**
 * Refuses a new user's name that imitates the system or another user, within the transaction that
 * adds the user: of two that imitate each other and are added together, one is refused. Throws as
 * `checkUserName`.
 */
async function refuseLookalikeName(database: Database, tx: Db, name: string): Promise<void> {
  const { users } = database.tables;
  await selectAdminsForUpdate(database, tx);
  const others = await database.forUpdate(tx.select({ name: users.name }).from(users));
  checkUserName(
    name,
    others.map((other) => other.name),
  );
}

const ID_CHARS = 16;

/** Adds a user within a transaction. Throws `CONFLICT` when the name is taken. */
export async function insertUser(
  database: Database,
  tx: Db,
  user: {
    name: string;
    role: Role;
    passwordHash: string;
    createdAt: number;
    /** Absent or null: they may sign in. */
    disabledAt?: number | null;
  },
): Promise<string> {
  const id = randomText(ID_CHARS);
  try {
    await tx.insert(database.tables.users).values({ id, disabledAt: null, ...user });
    return id;
  } catch (error) {
    if (!database.isDuplicateKey(error)) throw error;
    throw new LockyardError('CONFLICT', `User "${user.name}" already exists.`);
  }
}
