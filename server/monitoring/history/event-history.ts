import type { Database } from '@/db/database';
import type { CounterMoveRow } from '../../contract/console/counter-row';
import type { EventRow } from '../../contract/console/lock-row';
import type { CounterEvent } from '../../core/counter/counter-event';
import type { LockEvent } from '../../core/lock/lock-event';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import {
  afterCursor,
  cursorText,
  type EventCursor,
  NEWEST_FIRST,
  parseCursor,
} from './event-cursor';
import { eventId, eventRow } from './event-row';

interface EventPage extends RecordKey {
  before?: string | undefined;
  limit: number;
}

/** The opened history of single locks and counters, newest first. */
export class EventHistory {
  constructor(private readonly database: Database) {}

  /**
   * `older` is the `before` of the next page, or null at the end.
   *
   * @throws LockyardError `INVALID` for a `before` that is no cursor
   */
  list(page: EventPage): Promise<{ rows: EventRow[]; older: string | null }> {
    return this.read(page, (found) =>
      eventRow({ ...found, event: JSON.parse(found.body) as LockEvent }),
    );
  }

  /** The same, of the counter of that name. */
  listCounterEvents(page: EventPage): Promise<{ rows: CounterMoveRow[]; older: string | null }> {
    return this.read({ ...page, kind: 'counter' }, counterEventRow);
  }

  private async read<Row extends { id: string }>(
    page: EventPage,
    toRow: (found: StoredEvent) => Row,
  ): Promise<{ rows: Row[]; older: string | null }> {
    const { before, limit } = page;
    const older = before === undefined ? { sql: '', values: [] } : afterCursor(parseCursor(before));
    const { rows } = await this.database.raw.ask(
      'SELECT at, backend, history_id, place, rev, body FROM lock_events WHERE lock_id = ? ' +
        `${older.sql} ${NEWEST_FIRST} LIMIT ${limit + 1}`,
      [recordId(page), ...older.values],
    );
    const found = rows.slice(0, limit).map(toStored);
    const last = found.at(-1);
    const next = rows.length > limit && last ? cursorText(last) : null;
    // Instants order pages; within one, revs do, which are exact however clocks moved.
    return { rows: found.sort(latestFirst).map(toRow), older: next };
  }
}

interface StoredEvent extends EventCursor {
  rev: number;
  body: string;
}

function toStored([at, backend, historyId, place, rev, body]: unknown[]): StoredEvent {
  const cursor = { at: Number(at), backend: String(backend), historyId: Number(historyId) };
  return { ...cursor, place: Number(place), rev: Number(rev), body: String(body) };
}

function latestFirst(a: StoredEvent, b: StoredEvent): number {
  return b.rev - a.rev || b.historyId - a.historyId || b.place - a.place;
}

function counterEventRow(found: StoredEvent): CounterMoveRow {
  const event = JSON.parse(found.body) as CounterEvent;
  const { at, rev, kind, service, value, delta = null, floor, ceiling, by, reason } = event;
  const bounds = floor === undefined || ceiling === undefined ? null : { floor, ceiling };
  const why = { by: by ?? null, reason: reason ?? null };
  return { id: eventId(found), at, rev, kind, service, value, delta, bounds, ...why };
}
