import { and, eq, lt } from 'drizzle-orm';
import type { Database } from '@/db/database';
import type { BackendPast } from './backend-past';

/** The row of `settings` in a backend's own database that holds its epoch. */
const EPOCH_ROW = 'backend.epoch';

/**
 * Raises a backend's epoch to the one that its own database holds, or that one to it. The control
 * database may have been restored from a backup that does not know this backend, or only as of an
 * earlier epoch, in which the tokens of deleted locks would repeat. Call it before any grant.
 *
 * @param own the database of the backend, migrated
 * @param past what the control database knows; its epoch is raised too
 * @param now the present instant, epoch milliseconds
 */
export async function adoptOwnEpoch(
  control: Database,
  own: Database,
  backend: string,
  past: BackendPast,
  now: number,
): Promise<void> {
  const held = await heldEpoch(own);
  if (held < past.epoch) return holdEpoch(own, past.epoch, now);
  const { backends } = control.tables;
  const isLower = lt(backends.epoch, held);
  const which = and(eq(backends.id, backend), isLower) ?? isLower;
  await control.db.update(backends).set({ epoch: held }).where(which);
  past.epoch = held;
}

async function heldEpoch({ db, tables: { settings } }: Database): Promise<number> {
  const [row] = await db.select().from(settings).where(eq(settings.id, EPOCH_ROW));
  return Number(row?.value ?? 0);
}

async function holdEpoch(own: Database, epoch: number, now: number): Promise<void> {
  const { settings } = own.tables;
  const held = { value: String(epoch), changedAt: now };
  const result = await own.db.update(settings).set(held).where(eq(settings.id, EPOCH_ROW));
  if (own.affectedRows(result) > 0) return;
  try {
    await own.db.insert(settings).values({ id: EPOCH_ROW, ...held });
  } catch (error) {
    // Another process starts at the same moment.
    if (!own.isDuplicateKey(error)) throw error;
  }
}
