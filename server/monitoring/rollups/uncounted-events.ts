import type { RunSql } from '@/db/raw-sql';
import type { LockEvent } from '../../core/lock/lock-event';
import { isRolledUp } from '../../core/statistics/minute-rollup';
import { rollupCursor, shareOf } from './rollup-cursor';

/** A lock that is busier than this has a history to show without its newest events. */
const EVENTS_MAX = 1_000;

const NO_POSITION = -1;

/** Up to which flush of a backend the roll-ups of a lock are written. */
export async function countedTo(ask: RunSql, backend: string, lockId: string): Promise<number> {
  const find = 'SELECT position FROM cursors WHERE id = ?';
  const { rows } = await ask(find, [rollupCursor(backend, shareOf(lockId))]);
  return Number(rows[0]?.[0] ?? NO_POSITION);
}

/**
 * A lock's events behind that flush which roll-ups count, newest first: those that are opened and
 * in no roll-up yet. Of a lock with more than 1,000 of them the newest.
 */
export async function uncountedEvents(
  ask: RunSql,
  backend: string,
  lockId: string,
  position: number,
): Promise<LockEvent[]> {
  const sql = `SELECT history_id, body FROM lock_events WHERE lock_id = ? AND backend = ? ORDER BY rev DESC LIMIT ${EVENTS_MAX}`;
  const { rows } = await ask(sql, [lockId, backend]);
  return rows
    .filter(([historyId]) => Number(historyId) > position)
    .map(([, body]): LockEvent => JSON.parse(String(body)))
    .filter(isRolledUp);
}
