import type { Database } from '@/db/database';
import type { Db } from '@/db/narrow-db';
import { randomText } from '../../auth/random-text';
import type { Role } from '../../contract/console/console-terms';
import { LockyardError } from '../../contract/errors';

const ID_CHARS = 16;

/** Adds a user within a transaction. Throws `CONFLICT` when the name is taken. */
export async function insertUser(
  database: Database,
  tx: Db,
  user: { name: string; role: Role; passwordHash: string; createdAt: number },
): Promise<string> {
  const id = randomText(ID_CHARS);
  try {
    await tx.insert(database.tables.users).values({ id, ...user, disabledAt: null });
    return id;
  } catch (error) {
    if (!database.isDuplicateKey(error)) throw error;
    throw new LockyardError('CONFLICT', `There is a person named "${user.name}" already.`);
  }
}
