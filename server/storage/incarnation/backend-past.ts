import { eq } from 'drizzle-orm';
import type { Database } from '@/db/database';
import type { BackendLoss } from '../../contract/console/backend-health';

/** What the control database keeps about a backend's past. */
export interface BackendPast {
  /** Part of every token; raised when a backend has lost data. */
  epoch: number;
  /** No grant before this instant of the backend's clock, after a restore or data loss. 0: none. */
  grantsFrom: number;
  /** The last data loss; null or absent if none was ever seen. */
  loss?: BackendLoss | null;
  /** Another backend of this process that uses the same store; null or absent if none was seen. */
  duplicate?: string | null;
}

/** The known past of a backend; one that was never seen before gets the first epoch. */
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
