import type { Database } from '@/db/database';
import type { LockEvent } from '../../core/lock/lock-event';
import { type EventSpan, SPAN_CLASSES, spanOf, spanReachMs } from '../../core/past/event-span';
import { BUNDLE_MS, eventsOf, longSpan, SHORT_BUNDLE_MS } from '../history/bundled-events';
import type { TimeSlice } from '../lock-list/order/time-slice';

/** Events read at a time: on SQLite a read blocks this process. */
const ROWS_AT_ONCE = 200;

/** The hold, wait or freeze that a recorded event ended. */
export interface RecordedSpan extends EventSpan {
  /** The backend, or the shard, whose history it is of. */
  store: string;
  lockId: string;
  historyId: number;
  event: LockEvent;
}

interface SpanRow {
  key: string;
  at: number;
  spans: Omit<RecordedSpan, keyof EventSpan>[];
}

/**
 * Every hold, wait and freeze that covered an instant and has ended since, as far as that is
 * recorded. Reads about twice as many rows as it finds, and in addition those within a quarter of a
 * second of the instant, or within ten seconds for long rows.
 *
 * @param atOf the instant on the clock of a store
 * @param most the most spans that are returned
 */
export async function readSpans(
  database: Database,
  atOf: (store: string) => number,
  stores: readonly string[],
  most: number,
  slice: TimeSlice,
): Promise<{ spans: RecordedSpan[]; isCut: boolean }> {
  const instants = stores.map(atOf);
  const [first, last] = [Math.min(...instants), Math.max(...instants)];
  const spans: RecordedSpan[] = [];
  for (let spanClass = 0; spanClass < SPAN_CLASSES; spanClass += 1) {
    const until = last + spanReachMs(spanClass);
    for await (const row of rowsOfClass(database, spanClass, first, until)) {
      for (const span of row.spans) {
        const found = spanOf(span.event);
        const at = atOf(span.store);
        if (!found || found.from > at || found.to <= at) continue;
        if (spans.length >= most) return { spans, isCut: true };
        spans.push({ ...found, ...span });
      }
    }
    if (slice.isOver) await slice.pause();
  }
  return { spans, isCut: false };
}

/** The rows of a class with events from just after one instant until before another. */
async function* rowsOfClass(
  database: Database,
  spanClass: number,
  after: number,
  until: number,
): AsyncGenerator<SpanRow> {
  yield* rowsOf(database, spanClass, after + 1 - SHORT_BUNDLE_MS, until);
  yield* rowsOf(database, longSpan(spanClass), after + 1 - BUNDLE_MS, until);
}

/** The rows of a `span` that begin at `begin` or later, but before `until`. */
async function* rowsOf(
  database: Database,
  span: number,
  begin: number,
  until: number,
): AsyncGenerator<SpanRow> {
  let from = begin;
  let seen = new Set<string>();
  for (;;) {
    // Rows of the last instant are read again, since more of them may follow.
    const limit = ROWS_AT_ONCE + seen.size;
    const { rows } = await database.raw.ask(
      'SELECT backend, history_id, place, lock_id, at, body FROM lock_events ' +
        `WHERE span = ? AND at >= ? AND at < ? ORDER BY at LIMIT ${limit}`,
      [span, from, until],
    );
    const read = rows.map(toRow);
    for (const row of read) if (!seen.has(row.key)) yield row;
    const end = read.at(-1);
    if (!end || read.length < limit) return;
    if (end.at > from) seen = new Set();
    for (const { key, at } of read) if (at === end.at) seen.add(key);
    from = end.at;
    await new Promise(setImmediate);
  }
}

function toRow([store, historyId, place, lockId, at, body]: unknown[]): SpanRow {
  const events = eventsOf([historyId, place, body]);
  const where = { store: String(store), lockId: String(lockId) };
  return {
    key: `${store}/${historyId}/${place}`,
    at: Number(at),
    spans: events.map(({ historyId, event }) => ({ ...where, historyId, event })),
  };
}
