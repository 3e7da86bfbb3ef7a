import type { Database } from '@/db/database';
import type { LockEvent } from '../../core/lock/lock-event';

/** The latest events of one lock that are looked at: those of several renewals of a hold. */
const EVENTS_MAX = 60;

interface EventRow {
  historyId: number;
  place: number;
  event: LockEvent;
}

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
      `ORDER BY at DESC LIMIT ${EVENTS_MAX}`,
    [lockId, at],
  );
  const found = rows.map(toRow);
  const oldest = found.length < EVENTS_MAX ? 0 : Math.min(...found.map(({ event }) => event.at));
  for (const from of new Set(beginnings)) {
    if (from >= oldest && from !== oldest) continue;
    found.push(...(await beginningsAt(database, lockId, from)));
  }
  const known = new Map(found.map((row) => [`${row.historyId}/${row.place}`, row]));
  return [...known.values()].sort(inOrder).map(({ event }) => event);
}

async function beginningsAt(database: Database, lockId: string, at: number): Promise<EventRow[]> {
  const { rows } = await database.raw.ask(
    'SELECT history_id, place, body FROM lock_events WHERE lock_id = ? AND at = ? AND kind IN ' +
      `('granted','frozen') LIMIT ${EVENTS_MAX}`,
    [lockId, at],
  );
  return rows.map(toRow);
}

function toRow([historyId, place, body]: unknown[]): EventRow {
  const event = JSON.parse(String(body)) as LockEvent;
  return { historyId: Number(historyId), place: Number(place), event };
}

function inOrder(a: EventRow, b: EventRow): number {
  return a.event.rev - b.event.rev || a.historyId - b.historyId || a.place - b.place;
}
