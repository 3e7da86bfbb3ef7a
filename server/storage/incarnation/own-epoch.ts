import { eq, lt, sql } from 'drizzle-orm';
import { allOf, type Database } from '@/db/database';
import type { BackendPast } from './backend-past';

/** The row of `settings` in a backend's own database that stores its epoch. */
const EPOCH_ROW = 'backend.epoch';

/**
 * Raises a backend's epoch, in the control database and in its own database, to the higher of the
 * two. The control database may have been restored from a backup that does not know this backend,
 * or only as of an earlier epoch, in which the tokens of deleted locks would repeat. Call it before
 * any grant.
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
  const { epoch } = past;
  if ((await readEpoch(own)) < epoch) await raiseEpoch(own, epoch, now);
  const raised = await readEpoch(own);
  if (raised <= epoch) return;
  const { backends } = control.tables;
  const isLower = allOf(eq(backends.id, backend), lt(backends.epoch, raised));
  await control.db.update(backends).set({ epoch: raised }).where(isLower);
  past.epoch = raised;
}

/** 0: none is stored. */
async function readEpoch({ db, tables: { settings } }: Database): Promise<number> {
  const [row] = await db.select().from(settings).where(eq(settings.id, EPOCH_ROW));
  return Number(row?.value ?? 0);
}

/** Another process may store another epoch at the same time: the higher one remains. */
async function raiseEpoch(own: Database, epoch: number, now: number): Promise<void> {
  const { settings } = own.tables;
  const stored = { value: String(epoch), changedAt: now };
  try {
    await own.db.insert(settings).values({ id: EPOCH_ROW, ...stored });
  } catch (error) {
    if (!own.isDuplicateKey(error)) throw error;
    const isLower = allOf(eq(settings.id, EPOCH_ROW), lt(sql`${settings.value} + 0`, epoch));
    await own.db.update(settings).set(stored).where(isLower);
  }
}
