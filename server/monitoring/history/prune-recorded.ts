import type { Database } from '@/db/database';
import { deleteRows } from './delete-rows';

const DAY_MS = 24 * 60 * 60_000;

/** How long opened events are kept, refused attempts, and what is counted of a week. */
const KEEP_MS = 30 * DAY_MS;

/** Roll-ups by the minute are small, and all that is left of the time before. */
const KEEP_MINUTES_MS = 60 * DAY_MS;

/** What is removed, the column that says how old it is, and how long it is kept. */
const TABLES = [
  ['lock_events', 'at', KEEP_MS],
  ['lock_minutes', 'minute', KEEP_MINUTES_MS],
  ['counter_minutes', 'minute', KEEP_MS],
  ['lock_weeks', 'week', KEEP_MS],
] as const;

/** Removes one backend's events and roll-ups that are too old, a few rows at a time. */
export async function pruneRecorded(
  database: Database,
  backend: string,
  now: number,
): Promise<void> {
  for (const [table, age, keepMs] of TABLES) {
    // The plus makes SQLite use the index of the age, not go through the backend.
    const column = database.kind === 'mysql' ? 'backend' : '+backend';
    await deleteRows(database, table, `${column} = ? AND ${age} < ?`, [backend, now - keepMs]);
  }
}

/** The same for the refused attempts of all backends. */
export async function pruneRefusals(database: Database, now: number): Promise<void> {
  await deleteRows(database, 'lock_refusals', 'minute < ?', [now - KEEP_MS]);
}
