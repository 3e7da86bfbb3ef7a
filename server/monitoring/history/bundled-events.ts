import type { LockEvent } from '../../core/lock/lock-event';
import { decodeEvents, type EventTuple } from '../../storage/codec/event-codec';

/**
 * A row of `lock_events` holds one event, or several consecutive events of one lock.
 *
 * A row of one event has its `history_id`, `place`, instant, `rev`, `kind` and span class, and the
 * `body` `[rev, event]`: the `rev` of the change, and the event as the history encodes it, except
 * that a run of increments, one text there, is one event each here. A row of several has the
 * `history_id` and `rev` of the last, the `at` of the first, the `rowSpan` of the highest span
 * class, the kind `several` (if all are routine, that of the first), a `place` between those of the
 * last and of the next event, and as `body` a list of `[historyId, place, rev, event]`, oldest
 * first.
 *
 * Earlier versions wrote events as objects: an event alone, or a list of
 * `[historyId, place, event]`.
 */

/** The most events of a row: reading one of them costs the time of decoding all. */
export const BUNDLE_EVENTS_MAX = 16;

/** The longest time that a row extends over: a reader knows which rows can hold an instant. */
export const BUNDLE_MS = 10_000;

/** Most rows extend over less time than this. */
export const SHORT_BUNDLE_MS = 250;

/** Added to the span class of longer rows: a search for an instant begins earlier for them. */
const LONG_BUNDLE = 64;

/** From this value of `span` on, rows are long. */
export const LONG_BUNDLES_FROM = LONG_BUNDLE - 1;

/** The stored `span` of a row whose events extend over a time. */
export const rowSpan = (spanClass: number, overMs: number): number =>
  overMs < SHORT_BUNDLE_MS ? spanClass : longSpan(spanClass);

/** The stored `span` of a row that extends over `SHORT_BUNDLE_MS` or more. */
export const longSpan = (spanClass: number): number => LONG_BUNDLE + spanClass;

/** The distance between the places of two events of a commit. */
export const PLACES_APART = 2 * BUNDLE_EVENTS_MAX;

/** The `place` of a row. Rows that end with the same event but hold more or fewer events differ. */
export const rowPlace = (lastPlace: number, count: number) => lastPlace + count - 1;

/** An event, and where it is in the history of its backend. */
export interface PlacedEvent<Event = LockEvent> {
  historyId: number;
  place: number;
  event: Event;
}

/** A `body`, parsed: of one event, or of several. */
type Body<Event> =
  | Event
  | [rev: number, event: EventTuple]
  | (
      | [historyId: number, place: number, event: Event]
      | [historyId: number, place: number, rev: number, event: EventTuple]
    )[];

/** The events of a row, given by its `history_id`, `place` and `body`; oldest first. */
export function eventsOf<Event = LockEvent>([
  historyId,
  place,
  body,
]: unknown[]): PlacedEvent<Event>[] {
  const read = JSON.parse(String(body)) as Body<Event>;
  const at = { historyId: Number(historyId), place: Number(place) };
  if (!Array.isArray(read)) return [{ ...at, event: read }];
  if (isOne(read)) return [{ ...at, event: decoded(...read) }];
  return read.map((one) => {
    const [historyId, place] = one;
    const event = one.length === 3 ? one[2] : decoded<Event>(one[2], one[3]);
    return { historyId, place, event };
  });
}

const isOne = (list: unknown[]): list is [rev: number, event: EventTuple] =>
  typeof list[0] === 'number';

function decoded<Event>(rev: number, tuple: EventTuple): Event {
  const [event] = decodeEvents(tuple, rev);
  return event as Event;
}

/** The order in which a lock changed, however clocks moved meanwhile. */
export function inOrder(a: PlacedEvent<{ rev: number }>, b: PlacedEvent<{ rev: number }>): number {
  return a.event.rev - b.event.rev || a.historyId - b.historyId || a.place - b.place;
}
