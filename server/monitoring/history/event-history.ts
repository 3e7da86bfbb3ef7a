import { and, desc, eq, lt, or } from 'drizzle-orm';
import type { Database } from '@/db/database';
import type { CounterMoveRow } from '../../contract/console/counter-row';
import type { EventRow } from '../../contract/console/lock-row';
import { LockyardError } from '../../contract/errors';
import type { CounterEvent } from '../../core/counter/counter-event';
import type { LockEvent } from '../../core/lock/lock-event';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
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
    const { lockEvents: t } = this.database.tables;
    const before = parseCursor(page.before);
    const older = before
      ? or(
          lt(t.rev, before.rev),
          and(eq(t.rev, before.rev), lt(t.historyId, before.historyId)),
          and(eq(t.rev, before.rev), eq(t.historyId, before.historyId), lt(t.place, before.place)),
        )
      : undefined;
    const found = await this.database.db
      .select()
      .from(t)
      .where(and(eq(t.lockId, recordId(page)), older))
      .orderBy(desc(t.rev), desc(t.historyId), desc(t.place))
      .limit(page.limit + 1);
    const rows = found.slice(0, page.limit).map(toRow);
    return { rows, older: found.length > page.limit ? (rows.at(-1)?.id ?? null) : null };
  }
}

interface StoredEvent {
  rev: number;
  historyId: number;
  place: number;
  body: string;
}

function counterEventRow(found: StoredEvent): CounterMoveRow {
  const event = JSON.parse(found.body) as CounterEvent;
  const { at, rev, kind, service, value, delta = null, floor, ceiling, by, reason } = event;
  const bounds = floor === undefined || ceiling === undefined ? null : { floor, ceiling };
  const why = { by: by ?? null, reason: reason ?? null };
  return { id: eventId(found), at, rev, kind, service, value, delta, bounds, ...why };
}

function parseCursor(text: string | undefined) {
  if (text === undefined) return null;
  const match = /^(\d{1,16})\.(\d{1,15})\.(\d{1,6})$/.exec(text);
  const [rev = Number.NaN, historyId = 0, place = 0] = match?.slice(1).map(Number) ?? [];
  if (Number.isSafeInteger(rev)) return { rev, historyId, place };
  throw new LockyardError('INVALID', 'before: must be the `older` of another page.');
}
