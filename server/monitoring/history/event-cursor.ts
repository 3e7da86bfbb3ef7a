import { LockyardError } from '../../contract/errors';

/** Where an event is among those of its lock: they are read by when they happened. */
export interface EventCursor {
  at: number;
  /** The backend, or the shard, whose history it is of. */
  backend: string;
  historyId: number;
  place: number;
}

/** As one text, for a page to ask for the next one. */
export const cursorText = ({ at, backend, historyId, place }: EventCursor): string =>
  `${at}.${historyId}.${place}@${backend}`;

/** @throws LockyardError `INVALID` for a text that is none */
export function parseCursor(text: string): EventCursor {
  const [, at, historyId, place, backend = ''] =
    /^(\d{1,16})\.(\d{1,15})\.(\d{1,6})(?:@([\x21-\x7e]{1,40}))?$/.exec(text) ?? [];
  const cursor = { at: Number(at), backend, historyId: Number(historyId), place: Number(place) };
  if (Number.isSafeInteger(cursor.at)) return cursor;
  throw new LockyardError('INVALID', 'before: must be the `older` of another page.');
}

/** The order that `lock_events_lock_at` has, which on InnoDB ends with the primary key. */
export const NEWEST_FIRST = 'ORDER BY at DESC, backend DESC, history_id DESC, place DESC';

/** In that order, the rows after a cursor: a condition with its values. */
export function afterCursor({ at, backend, historyId, place }: EventCursor) {
  const sql =
    'AND at <= ? AND (at < ? OR backend < ? OR ' +
    '(backend = ? AND (history_id < ? OR (history_id = ? AND place < ?))))';
  return { sql, values: [at, at, backend, backend, historyId, historyId, place] };
}
