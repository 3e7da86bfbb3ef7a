import type { Database } from '@/db/database';
import type { LockEvent } from '../../core/lock/lock-event';
import { BUNDLE_MS, eventsOf, inOrder, type PlacedEvent } from '../history/bundled-events';

/** How many of the latest rows of one lock are read: enough for several renewals of a hold. */
const ROWS_MAX = 60;

/**
 * The latest events of a lock up to an instant of its backend's clock, oldest first, and
 * before them the grants and freezes at the given instants.
 */
export async function readLockEvents(
  database: Database,
  lockId: string,
  at: number,
  beginnings: readonly number[],
): Promise<LockEvent[]> {
  const { rows } = await database.raw.ask(
    'SELECT history_id, place, body FROM lock_events WHERE lock_id = ? AND at <= ? ' +
      `ORDER BY at DESC LIMIT ${ROWS_MAX}`,
    [lockId, at],
  );
  const read = rows.flatMap((row) => eventsOf(row));
  const oldest = rows.length < ROWS_MAX ? 0 : Math.min(...read.map(({ event }) => event.at));
  const found = read.filter(({ event }) => event.at <= at);
  for (const from of new Set(beginnings)) {
    if (from >= oldest && from !== oldest) continue;
    found.push(...(await beginningsAt(database, lockId, from)));
  }
  // A grant or freeze may be among the latest events too.
  const known = new Map(found.map((placed) => [`${placed.historyId}/${placed.place}`, placed]));
  return [...known.values()].sort(inOrder).map(({ event }) => event);
}

async function beginningsAt(
  database: Database,
  lockId: string,
  at: number,
): Promise<PlacedEvent[]> {
  const { rows } = await database.raw.ask(
    'SELECT history_id, place, body FROM lock_events WHERE lock_id = ? AND at > ? AND at <= ? ' +
      `AND kind <> 'timeout' ORDER BY at DESC LIMIT ${ROWS_MAX}`,
    [lockId, at - BUNDLE_MS, at],
  );
  return rows
    .flatMap((row) => eventsOf(row))
    .filter(({ event }) => isBeginning(event) && event.at === at);
}

const isBeginning = ({ kind }: LockEvent) => kind === 'granted' || kind === 'frozen';
