import { setImmediate } from 'node:timers/promises';
import type { Database, SqlValue } from '@/db/database';
import type { LockTimeline, RefusalBar } from '../../contract/console/past/lock-timeline';
import type { LockRecord } from '../../core/lock/lock-record';
import { buildTimeline, isRoutine, ROUTINE_KINDS } from '../../core/timeline/lock-timeline';
import { refusalBars } from '../../core/timeline/refusal-bars';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import { refusalsOf } from '../refusals/refusal-rows';
import { eventsOf, inOrder, type PlacedEvent } from './bundled-events';
import { afterCursor, cursorAfter, type EventCursor, NEWEST_FIRST } from './event-cursor';
import { eventRow } from './event-row';

/** Rows read at a time: on SQLite a read blocks this process, so each takes only milliseconds. */
const ROWS_AT_ONCE = 250;

/** The most events that one request reads, routine ones included. */
const EVENTS_MAX = 6_000;

/** The most events of a story. */
const STORY_MAX = 300;

const ROUTINE = ROUTINE_KINDS.map((kind) => `'${kind}'`).join(',');

type PastPart = Omit<LockTimeline, 'asOf' | 'refused' | 'deaths'>;

/** The past of single locks, from their recorded events. */
export class LockPast {
  /** @param onRead is called when events are read */
  constructor(
    private readonly database: Database,
    private readonly onRead = () => {},
  ) {}

  /**
   * What happened to a lock from `from` to `to`, as far as it is recorded.
   *
   * @param now its present record; null: what began before `from` is missing until it has ended
   */
  async timeline(
    key: RecordKey,
    from: number,
    to: number,
    now: LockRecord | null = null,
  ): Promise<PastPart> {
    const { events, since } = await this.eventsOf(key, from, to);
    const bare = events.map(({ event }) => event);
    return { from, to, since, ...buildTimeline(bare, from, to, now, since) };
  }

  /** The refused attempts to acquire a lock. @param backend its id as users know it */
  async refused(backend: string, key: RecordKey, from: number, to: number): Promise<RefusalBar[]> {
    const parts = await refusalsOf(this.database, backend, recordId(key), from, to);
    return refusalBars(parts).filter((bar) => bar.to >= from && bar.from <= to);
  }

  /** The timeline with its first 300 events, oldest first, without routine ones. */
  async story(key: RecordKey, from: number, to: number, now: LockRecord | null) {
    const { events, since } = await this.eventsOf(key, from, to);
    const bare = events.map(({ event }) => event);
    const timeline = buildTimeline(bare, from, to, now, since);
    const within = events.filter(({ event: { at } }) => at >= from && at < to);
    const listed = within.slice(0, STORY_MAX).map(eventRow);
    const moreEvents = within.length - listed.length;
    return { from, to, since, ...timeline, events: listed, moreEvents };
  }

  /**
   * A lock's events from `from` to now, without routine ones, oldest first: those after `to` show
   * how holds and waits that lasted beyond it ended. If there are too many, only the newest up to
   * `to` and some after it. From `since` to `to` none is missing.
   */
  private async eventsOf(
    key: RecordKey,
    from: number,
    to: number,
  ): Promise<{ events: PlacedEvent[]; since: number }> {
    this.onRead();
    const all = await this.eventsBack(key, from, null);
    const isCut = all.since > from && all.newest > to;
    const { events, since } = isCut ? await this.eventsBack(key, from, cursorAfter(to)) : all;
    const later = isCut ? (await this.readAfter(key, to)).flatMap(eventsIn) : [];
    const notable = [...events, ...later].filter(({ event: { kind } }) => !isRoutine(kind));
    return { events: notable.sort(inOrder), since };
  }

  /**
   * The newest events between `from` and a cursor, complete from `since` on. `newest`: the instant
   * of the newest row.
   */
  private async eventsBack(
    key: RecordKey,
    from: number,
    before: EventCursor | null,
  ): Promise<{ events: PlacedEvent[]; since: number; newest: number }> {
    const events: PlacedEvent[] = [];
    let cursor = before;
    let newest: number | null = null;
    let seen = 0;
    for (;;) {
      const rows: EventPart[] = await this.readBefore(key, cursor);
      for (const row of rows) {
        const placed = eventsIn(row);
        seen += Math.max(1, placed.length);
        events.push(...placed.filter(({ event: { at } }) => at >= from));
      }
      newest ??= rows[0]?.at ?? from;
      const last = rows.at(-1);
      if (!last || rows.length < ROWS_AT_ONCE || last.at < from) {
        return { events, since: from, newest };
      }
      if (seen >= EVENTS_MAX) return { events, since: last.at, newest };
      cursor = last;
      await setImmediate();
    }
  }

  /** Rows of a lock, newest first. The body of rows with only routine events is not read. */
  private readBefore(key: RecordKey, cursor: EventCursor | null): Promise<EventPart[]> {
    const older = cursor ? afterCursor(cursor) : { sql: '', values: [] };
    return this.readRows(`${older.sql} ${NEWEST_FIRST}`, [recordId(key), ...older.values]);
  }

  /** The first rows that begin after an instant. */
  private readAfter(key: RecordKey, at: number): Promise<EventPart[]> {
    return this.readRows('AND at > ? ORDER BY at', [recordId(key), Math.floor(at)]);
  }

  private async readRows(condition: string, values: SqlValue[]): Promise<EventPart[]> {
    const { rows } = await this.database.raw.ask(
      'SELECT at, backend, history_id, place, ' +
        `CASE WHEN kind IN (${ROUTINE}) THEN '' ELSE body END ` +
        `FROM lock_events WHERE lock_id = ? ${condition} LIMIT ${ROWS_AT_ONCE}`,
      values,
    );
    return rows.map(([at, backend, id, place, body]) => ({
      at: Number(at),
      backend: String(backend),
      historyId: Number(id),
      place: Number(place),
      body: String(body),
    }));
  }
}

interface EventPart extends EventCursor {
  /** Empty if all events are routine. */
  body: string;
}

const eventsIn = ({ historyId, place, body }: EventPart): PlacedEvent[] =>
  body === '' ? [] : eventsOf([historyId, place, body]);
