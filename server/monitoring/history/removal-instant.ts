import { type Database, databaseNow } from '@/db/database';

/**
 * The present instant for the removal of what is old: by the clock of this process or that of the
 * database, whichever is behind. The other one may have been set far ahead.
 *
 * @param now the clock of this process
 */
export const removalInstant = async (database: Database, now: number): Promise<number> =>
  Math.min(now, await databaseNow(database));
