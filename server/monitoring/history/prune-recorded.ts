import type { Database } from '@/db/database';
import { type Retention, WEEKS_MS } from '../../core/retention';
import type { Clock } from '../../platform/clock';
import type { ShouldContinue } from '../../platform/periodic';
import { BUNDLE_MS } from './bundled-events';
import { deleteRows } from './delete-rows';
import { removalInstant } from './removal-instant';

/** Removes one backend's events and roll-ups that are too old, in small batches. */
export async function pruneRecorded(
  database: Database,
  backend: string,
  now: number,
  { historyMs, minutesMs }: Retention,
  shouldContinue?: ShouldContinue,
): Promise<void> {
  const tables = [
    // A row is as old as its first event.
    ['lock_events', 'at', historyMs + BUNDLE_MS],
    ['lock_minutes', 'minute', minutesMs],
    ['counter_minutes', 'minute', historyMs],
    ['lock_weeks', 'week', WEEKS_MS],
  ] as const;
  for (const [table, age, keepMs] of tables) {
    // The plus makes SQLite use the index on the age instead of reading all of the backend.
    const column = database.kind === 'mysql' ? 'backend' : '+backend';
    const condition = `${column} = ? AND ${age} < ?`;
    await deleteRows(database, table, condition, [backend, now - keepMs], shouldContinue);
  }
}

/** Removes refused attempts of all backends that are too old, in small batches. */
export async function pruneRefusals(
  database: Database,
  clock: Pick<Clock, 'now'>,
  { historyMs }: Retention,
  shouldContinue?: ShouldContinue,
): Promise<void> {
  const now = await removalInstant(database, clock.now());
  await deleteRows(database, 'lock_refusals', 'minute < ?', [now - historyMs], shouldContinue);
}
