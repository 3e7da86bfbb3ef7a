import { setImmediate } from 'node:timers/promises';
import type { Database } from '@/db/database';
import type { LockTimeline, RefusalBar } from '../../contract/console/past/lock-timeline';
import type { LockEvent } from '../../core/lock/lock-event';
import { buildTimeline, ROUTINE_KINDS } from '../../core/timeline/lock-timeline';
import { refusalBars } from '../../core/timeline/refusal-bars';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import { refusalsOf } from '../refusals/refusal-rows';
import { eventRow } from './event-row';

/** Events read at a time: on SQLite a read blocks this process, so each takes few milliseconds. */
const EVENTS_AT_ONCE = 250;

/** Events that one request may go through, renewals and the like included. */
const EVENTS_MAX = 6_000;

/** Events that one story tells. */
const STORY_MAX = 300;

/** An expiry is recorded under its deadline, which may be earlier than the event before it. */
const LATE_EXPIRY_MS = 60_000;

const ROUTINE = ROUTINE_KINDS.map((kind) => `'${kind}'`).join(',');

type PastPart = Omit<LockTimeline, 'asOf' | 'refused'>;

/** What the recorded events say of the past of single locks. */
export class LockPast {
  constructor(private readonly database: Database) {}

  /** What happened to a lock from `from` to `to`, as far as it is recorded. */
  async timeline(key: RecordKey, from: number, to: number): Promise<PastPart> {
    const { events, since } = await this.eventsSince(key, from);
    return {
      from,
      to,
      since,
      ...buildTimeline(
        events.map(({ event }) => event),
        from,
        to,
      ),
    };
  }

  /** The attempts to acquire it that were refused. @param backend its id as users know it */
  async refused(backend: string, key: RecordKey, from: number, to: number): Promise<RefusalBar[]> {
    const parts = await refusalsOf(this.database, backend, recordId(key), from, to);
    return refusalBars(parts).filter((bar) => bar.to >= from && bar.from <= to);
  }

  /** The same, with the events themselves, oldest first: without routine, the first 300. */
  async story(key: RecordKey, from: number, to: number) {
    const { events, since } = await this.eventsSince(key, from);
    const timeline = buildTimeline(
      events.map(({ event }) => event),
      from,
      to,
    );
    const within = events.filter(({ event: { at } }) => at >= from && at < to);
    return { from, to, since, ...timeline, events: within.slice(0, STORY_MAX).map(eventRow) };
  }

  /**
   * A lock's events since an instant, without routine, oldest first; of too many the newest.
   * `since`: none is left out from then on.
   */
  private async eventsSince(
    key: RecordKey,
    from: number,
  ): Promise<{ events: PastEvent[]; since: number }> {
    const events: PastEvent[] = [];
    let cursor: Cursor | null = null;
    let seen = 0;
    for (;;) {
      const rows: EventPart[] = await this.readBefore(key, cursor);
      for (const { body, at, ...cursorOf } of rows) {
        if (body === '' || at < from) continue;
        events.push({ ...cursorOf, event: JSON.parse(body) as LockEvent });
      }
      const last = rows.at(-1);
      seen += rows.length;
      if (!last || rows.length < EVENTS_AT_ONCE || last.at < from - LATE_EXPIRY_MS) {
        return { events: events.reverse(), since: from };
      }
      if (seen >= EVENTS_MAX) return { events: events.reverse(), since: Math.max(from, last.at) };
      cursor = last;
      await setImmediate();
    }
  }

  /** Newest first. Of routine events the body stays in the database. */
  private async readBefore(key: RecordKey, cursor: Cursor | null): Promise<EventPart[]> {
    const older = 'AND rev <= ? AND (rev < ? OR history_id < ? OR (history_id = ? AND place < ?))';
    const { rev = 0, historyId = 0, place = 0 } = cursor ?? {};
    const { rows } = await this.database.raw.ask(
      `SELECT rev, history_id, place, at, CASE WHEN kind IN (${ROUTINE}) THEN '' ELSE body END ` +
        `FROM lock_events WHERE lock_id = ? ${cursor ? older : ''} ` +
        `ORDER BY rev DESC, history_id DESC, place DESC LIMIT ${EVENTS_AT_ONCE}`,
      [recordId(key), ...(cursor ? [rev, rev, historyId, historyId, place] : [])],
    );
    return rows.map(([revOf, id, placeOf, at, body]) => ({
      rev: Number(revOf),
      historyId: Number(id),
      place: Number(placeOf),
      at: Number(at),
      body: String(body),
    }));
  }
}

interface Cursor {
  rev: number;
  historyId: number;
  place: number;
}

interface PastEvent extends Cursor {
  event: LockEvent;
}

interface EventPart extends Cursor {
  at: number;
  /** Empty for routine. */
  body: string;
}
