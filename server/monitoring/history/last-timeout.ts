import type { Database } from '@/db/database';

/** The most rows of a lock that are searched. */
const ROWS_MAX = 2_000;

/**
 * When a waiter of a lock last timed out after `from` and up to `to`, within the newest 2,000 rows
 * of that time; null: none did. Instants are of the backend's clock.
 */
export async function lastTimeout(
  { raw }: Database,
  lockId: string,
  from: number,
  to: number,
): Promise<number | null> {
  const newest =
    'SELECT at, kind FROM lock_events WHERE lock_id = ? AND at > ? AND at <= ? ORDER BY at DESC ' +
    `LIMIT ${ROWS_MAX}`;
  const sql = `SELECT MAX(at) FROM (${newest}) AS newest WHERE kind = 'timeout'`;
  const { rows } = await raw.ask(sql, [lockId, from, to]);
  const at = rows[0]?.[0];
  return at === null || at === undefined ? null : Number(at);
}
