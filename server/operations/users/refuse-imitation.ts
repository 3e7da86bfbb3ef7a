import type { Database } from '@/db/database';
import type { Db } from '@/db/narrow-db';
import { checkUserName } from '../../auth/user-name-rules';
import { selectAdminsForUpdate } from './find-user';

/**
 * Refuses a new user's name that imitates the system or another user, within the transaction that
 * adds the user: of two that imitate each other and are added at once, one is refused. Throws as
 * `checkUserName`.
 */
export async function refuseLookalikeName(database: Database, tx: Db, name: string): Promise<void> {
  const { users } = database.tables;
  await selectAdminsForUpdate(database, tx);
  const others = await database.forUpdate(tx.select({ name: users.name }).from(users));
  checkUserName(
    name,
    others.map((other) => other.name),
  );
}
