import type { RunSql } from '@/db/database';
import type { LockEvent } from '../../core/lock/lock-event';
import { isRolledUp } from '../../core/statistics/minute-rollup';
import { rollUpCursors } from '../../storage/recorded-position';
import { eventsOf } from '../history/bundled-events';

/** How many shares the locks are in, each with its cursor, so that no write covers all. */
export const SHARES = 8;

/** A large share is written in this many parts, each in a transaction of its own. */
export const PARTS = 8;

/** Events beyond this many are not shown until they are in a roll-up. */
const ROWS_MAX = 1_000;

const NO_POSITION = -1;

/** A lock's share, and its part of the share. Stored cursors depend on both: they never change. */
export function shareOf(lockId: string): { share: number; part: number } {
  let hash = 0;
  for (let i = 0; i < lockId.length; i += 1) hash = (hash * 31 + lockId.charCodeAt(i)) | 0;
  const whole = hash >>> 0;
  return { share: whole % SHARES, part: Math.floor(whole / SHARES) % PARTS };
}

/**
 * The id of the cursor up to which the commits of a backend are counted, for a share of its locks.
 */
export const shareCursor = (backend: string, share: number) => `${rollUpCursors(backend)}${share}`;

/** The id of the cursor of a part, which is valid if it is ahead of that of the share. */
export const partCursor = (backend: string, share: number, part: number) =>
  `${shareCursor(backend, share)}/${part}`;

/** The commit of a backend up to which the roll-ups of a lock are written. */
export async function countedTo(ask: RunSql, backend: string, lockId: string): Promise<number> {
  const { share, part } = shareOf(lockId);
  const ids = [shareCursor(backend, share), partCursor(backend, share, part)];
  const { rows } = await ask('SELECT MAX(position) FROM cursors WHERE id IN (?, ?)', ids);
  return Number(rows[0]?.[0] ?? NO_POSITION);
}

/**
 * A lock's recorded events after a commit, of the kinds that roll-ups count: they are in no roll-up
 * yet. Searches the newest 1,000 rows of the lock, of all backends together. Unsorted.
 */
export async function uncountedEvents(
  ask: RunSql,
  backend: string,
  lockId: string,
  position: number,
): Promise<LockEvent[]> {
  // The backend is compared outside: for a shard that the lock has left, the search would go
  // through all events of the lock.
  const newest =
    'SELECT backend, history_id, place, body FROM lock_events WHERE lock_id = ? ORDER BY at DESC ' +
    `LIMIT ${ROWS_MAX}`;
  const { rows } = await ask(
    `SELECT history_id, place, body FROM (${newest}) AS newest ` +
      'WHERE backend = ? AND history_id > ?',
    [lockId, backend, position],
  );
  const events = rows.flatMap((row) => eventsOf(row));
  const uncounted = events.filter(({ historyId }) => historyId > position);
  return uncounted.map(({ event }) => event).filter(isRolledUp);
}
