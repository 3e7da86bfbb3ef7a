import type { Database } from '@/db/database';
import type { GaveUp } from '../../core/status/stuck-reason';

/** The most rows of a lock that are searched. */
const ROWS_MAX = 2_000;

/**
 * The last waiter of a lock that timed out after `from` and up to `to`, within the newest 2,000
 * rows of that time; null: none did. Instants are of the backend's clock.
 */
export async function lastTimeout(
  { raw }: Database,
  lockId: string,
  from: number,
  to: number,
): Promise<GaveUp | null> {
  const newest =
    'SELECT at, kind, rev FROM lock_events WHERE lock_id = ? AND at > ? AND at <= ? ' +
    `ORDER BY at DESC LIMIT ${ROWS_MAX}`;
  const timeouts = `SELECT at, rev FROM (${newest}) AS newest WHERE kind = 'timeout'`;
  const sql = `${timeouts} ORDER BY rev DESC LIMIT 1`;
  const { rows } = await raw.ask(sql, [lockId, from, to]);
  const [last] = rows;
  return last ? { at: Number(last[0]), rev: Number(last[1]) } : null;
}
