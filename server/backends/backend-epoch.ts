import { eq } from 'drizzle-orm';
import type { Database } from '@/db/database';

const FIRST_EPOCH = 1;

/**
 * The epoch of a backend, kept in the control database: part of every token, raised when a backend has lost its memory.
 * A backend that was never seen before gets the first one.
 */
export async function backendEpoch(
  database: Database,
  backend: string,
  now: number,
): Promise<number> {
  const { backends } = database.tables;
  const known = await readEpoch(database, backend);
  if (known !== null) return known;
  try {
    await database.db.insert(backends).values({ id: backend, epoch: FIRST_EPOCH, createdAt: now });
    return FIRST_EPOCH;
  } catch (error) {
    if (!database.isDuplicateKey(error)) throw error;
    return (await readEpoch(database, backend)) ?? FIRST_EPOCH;
  }
}

async function readEpoch({ db, tables }: Database, backend: string): Promise<number | null> {
  const { backends } = tables;
  const [row] = await db.select().from(backends).where(eq(backends.id, backend));
  return row?.epoch ?? null;
}
