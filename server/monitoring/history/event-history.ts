import type { Database } from '@/db/database';
import type { CounterMoveRow } from '../../contract/console/counter-row';
import type { EventRow } from '../../contract/console/lock-row';
import type { CounterEvent } from '../../core/counter/counter-event';
import type { LockEvent } from '../../core/lock/lock-event';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import { eventsOf, inOrder, type PlacedEvent } from './bundled-events';
import {
  afterCursor,
  cursorAfter,
  cursorText,
  type EventCursor,
  NEWEST_FIRST,
  parseCursor,
} from './event-cursor';
import { eventId, eventRow } from './event-row';

interface EventPage extends RecordKey {
  before?: string | undefined;
  /** No event after this instant of the backend's clock. */
  until?: number | undefined;
  limit: number;
}

/** The recorded history of single locks and counters, newest first. */
export class EventHistory {
  /** @param onRead is called when events are read */
  constructor(
    private readonly database: Database,
    private readonly onRead = () => {},
  ) {}

  /**
   * A page of a lock's events. `older` is the `before` of the next page, or null at the end.
   *
   * @throws LockyardError `INVALID` for a `before` that is no cursor
   */
  list(page: EventPage): Promise<{ rows: EventRow[]; older: string | null }> {
    return this.read<LockEvent, EventRow>(page, eventRow);
  }

  /** A page of the events of the counter of that name; otherwise like `list`. */
  listCounterEvents(page: EventPage): Promise<{ rows: CounterMoveRow[]; older: string | null }> {
    return this.read<CounterEvent, CounterMoveRow>({ ...page, kind: 'counter' }, counterEventRow);
  }

  private async read<Event extends { rev: number; at: number }, Row>(
    page: EventPage,
    toRow: (found: FoundEvent<Event>) => Row,
  ): Promise<{ rows: Row[]; older: string | null }> {
    this.onRead();
    const { before, until, limit } = page;
    const first = until === undefined ? null : cursorAfter(until);
    const after = before === undefined ? first : parseCursor(before);
    const older = after ? afterCursor(after) : { sql: '', values: [] };
    const { rows } = await this.database.raw.ask(
      'SELECT at, backend, history_id, place, body FROM lock_events WHERE lock_id = ? ' +
        `${older.sql} ${NEWEST_FIRST} LIMIT ${limit + 1}`,
      [recordId(page), ...older.values],
    );
    const events = rows
      .flatMap((row) => eventsAfter<Event>(row, after))
      .filter(({ event }) => until === undefined || event.at <= until);
    const found = events.slice(0, limit);
    const last = events[limit - 1];
    const next = events.length > limit && last ? cursorText(last.cursor) : null;
    // Pages are in order of time. Within a page, revs give the exact order, however clocks moved.
    return { rows: found.sort((a, b) => inOrder(b, a)).map(toRow), older: next };
  }
}

interface FoundEvent<Event> extends PlacedEvent<Event> {
  /** Where the next page begins if this event is the last of its page. */
  cursor: EventCursor;
}

/** The events of a row, newest first, except those that were on the page before. */
function eventsAfter<Event>(
  [at, backend, historyId, place, body]: unknown[],
  after: EventCursor | null,
): FoundEvent<Event>[] {
  const row = { at: Number(at), backend: String(backend), historyId: Number(historyId) };
  const cursor: EventCursor = { ...row, place: Number(place) };
  const events = eventsOf<Event>([historyId, place, body]).reverse();
  const isCut = after !== null && isSameRow(after, cursor);
  const found = events.map((placed, i) => ({
    ...placed,
    cursor: i === events.length - 1 ? cursor : { ...cursor, taken: i + 1 },
  }));
  return isCut ? found.slice(after.taken) : found;
}

const isSameRow = (a: EventCursor, b: EventCursor) =>
  a.backend === b.backend && a.historyId === b.historyId && a.place === b.place;

function counterEventRow(found: FoundEvent<CounterEvent>): CounterMoveRow {
  const { at, rev, kind, service, value, delta = null, floor, ceiling, by, reason } = found.event;
  const bounds = floor === undefined || ceiling === undefined ? null : { floor, ceiling };
  const why = { by: by ?? null, reason: reason ?? null };
  return { id: eventId(found), at, rev, kind, service, value, delta, bounds, ...why };
}
