import type { Database } from '@/db/database';
import type { Clock } from '../../platform/clock';

/**
 * Makes the namespace that every call means unless it names another, on the control database. For
 * the start.
 */
export async function ensureDefaultNamespace(database: Database, clock: Clock): Promise<void> {
  try {
    await database.db
      .insert(database.tables.namespaces)
      .values({ id: 'default', backend: 'default', createdAt: clock.now(), grownMaxLocks: 0 });
  } catch (error) {
    if (!database.isDuplicateKey(error)) throw error;
  }
}
