import { lte, type SQL, sql } from 'drizzle-orm';
import { allOf, DATABASE_CLOCK, type Database } from '@/db/database';

/**
 * Whether an API key has expired by both the clock of this process and that of the database: so a
 * process whose clock is ahead cannot end a key for all others. False for a key without an expiry.
 *
 * @param now epoch ms, by the clock of this process
 */
export function isExpiredKey(
  { tables, kind }: Pick<Database, 'tables' | 'kind'>,
  now: number,
): SQL {
  const { expiresAt } = tables.apiKeys;
  return allOf(lte(expiresAt, now), lte(expiresAt, sql.raw(DATABASE_CLOCK[kind])));
}
