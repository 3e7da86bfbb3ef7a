import { eq } from 'drizzle-orm';
import type { Database } from '@/db/database';
import type { BackendLoss } from '../domain/backend-loss';

/** What the control database keeps about a backend's past. */
export interface BackendPast {
  /** Part of every token, raised when a backend has lost its memory. */
  epoch: number;
  /** No lock is granted before this instant of the backend's clock, which a restored backup or a loss sets. 0: at once. */
  grantsFrom: number;
  /** The last loss of its memory; null or absent for a backend that was never seen to lose any. */
  loss?: BackendLoss | null;
  /** Another backend of this process that keeps its records in the same store; null or absent where none was seen to. */
  twin?: string | null;
}

/** What is known of a backend's past; one that was never seen before gets the first epoch. */
export async function backendPast(
  database: Database,
  backend: string,
  now: number,
): Promise<BackendPast> {
  const { backends } = database.tables;
  const known = await readPast(database, backend);
  if (known !== null) return known;
  try {
    await database.db.insert(backends).values({ id: backend, epoch: FIRST.epoch, createdAt: now });
    return FIRST;
  } catch (error) {
    if (!database.isDuplicateKey(error)) throw error;
    return (await readPast(database, backend)) ?? FIRST;
  }
}

const FIRST: BackendPast = { epoch: 1, grantsFrom: 0 };

async function readPast({ db, tables }: Database, backend: string): Promise<BackendPast | null> {
  const { backends } = tables;
  const [row] = await db.select().from(backends).where(eq(backends.id, backend));
  return row ? { epoch: row.epoch, grantsFrom: row.grantsFrom ?? 0 } : null;
}
