import type { LockEvent } from '../../core/lock/lock-event';

/**
 * A row of `lock_events` holds one event, or several of a lock, one right after another.
 *
 * One event: its `history_id` and `place`, its instant, `rev`, `kind` and span class; `body` is the
 * event. Several: `history_id` and `rev` of the last, `at` of the first, the `rowSpan` of the
 * highest span class, the kind `several` (of routine alone, that of the first), a `place` between
 * those of the last and of the next event, and as `body` a list of `[historyId, place, event]`,
 * oldest first.
 */

/** How many events share a row at most: a reader of one takes the time for all. */
export const BUNDLE_EVENTS_MAX = 16;

/** The events of a row are within this time, so that a reader knows in which rows an instant is. */
export const BUNDLE_MS = 10_000;

/** Those of most rows are within this time. */
export const SHORT_BUNDLE_MS = 250;

/** Added to the span class of a row whose events are further apart, so that it is searched for. */
const LONG_BUNDLE = 64;

/** From this value of `span` on, rows are long. */
export const LONG_BUNDLES_FROM = LONG_BUNDLE - 1;

/** What is kept as `span` of a row with events over that time. */
export const rowSpan = (spanClass: number, overMs: number): number =>
  overMs < SHORT_BUNDLE_MS ? spanClass : longSpan(spanClass);

/** The same where events are further apart. */
export const longSpan = (spanClass: number): number => LONG_BUNDLE + spanClass;

/** Between the places of two events of a commit. */
export const PLACES_APART = 2 * BUNDLE_EVENTS_MAX;

/** The `place` of a row: rows that end with the same event but hold more or fewer differ. */
export const rowPlace = (lastPlace: number, count: number) => lastPlace + count - 1;

/** An event, and where it is in the history of its backend. */
export interface PlacedEvent<Event = LockEvent> {
  historyId: number;
  place: number;
  event: Event;
}

/** The events of a row, given by its `history_id`, `place` and `body`; oldest first. */
export function eventsOf<Event = LockEvent>([
  historyId,
  place,
  body,
]: unknown[]): PlacedEvent<Event>[] {
  const read: unknown = JSON.parse(String(body));
  if (!Array.isArray(read)) {
    return [{ historyId: Number(historyId), place: Number(place), event: read as Event }];
  }
  return (read as [number, number, Event][]).map(([historyId, place, event]) => ({
    ...{ historyId, place, event },
  }));
}

/** As a lock changed, however clocks moved meanwhile. */
export function inOrder(a: PlacedEvent<{ rev: number }>, b: PlacedEvent<{ rev: number }>): number {
  return a.event.rev - b.event.rev || a.historyId - b.historyId || a.place - b.place;
}
