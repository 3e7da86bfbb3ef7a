import { isNotNull } from 'drizzle-orm';
import type { Database } from '@/db/database';

const AHEAD_MS = 3_600_000;

/**
 * Changes what is recorded of a backend's data loss as if its clock had been an hour ahead then.
 *
 * @returns the instant from which it would grant again
 */
export async function recordLossAhead({ db, tables }: Database): Promise<number> {
  const { backends } = tables;
  const [row] = await db.select().from(backends).where(isNotNull(backends.grantsFrom));
  if (!row) throw new Error('No data loss is recorded.');
  const lossAt = Number(row.lossAt) + AHEAD_MS;
  const grantsFrom = Number(row.grantsFrom) + AHEAD_MS;
  await db.update(backends).set({ lossAt, grantsFrom }).where(isNotNull(backends.grantsFrom));
  return grantsFrom;
}
