import { LockyardError } from '../../contract/errors';

/** The position of a row among the recorded events of its lock, which are read by time. */
export interface EventCursor {
  at: number;
  /** The backend, or the shard, whose history it is of. */
  backend: string;
  historyId: number;
  place: number;
  /** How many of the row's events have been read; absent: all of them. */
  taken?: number;
}

/** The cursor as text, with which a page requests the next one. */
export const cursorText = ({ at, backend, historyId, place, taken }: EventCursor): string =>
  `${at}.${historyId}.${place}${taken === undefined ? '' : `+${taken}`}@${backend}`;

/** @throws LockyardError `INVALID` for a text that is not a cursor */
export function parseCursor(text: string): EventCursor {
  const [, at, historyId, place, taken, backend = ''] =
    /^(\d{1,16})\.(\d{1,16})\.(\d{1,8})(?:\+(\d{1,2}))?(?:@([\x21-\x7e]{1,40}))?$/.exec(text) ?? [];
  const row = { at: Number(at), backend, historyId: Number(historyId), place: Number(place) };
  const isExact = Number.isSafeInteger(row.at) && Number.isSafeInteger(row.historyId);
  if (isExact) return taken ? { ...row, taken: Number(taken) } : row;
  throw new LockyardError('INVALID', 'before: must be the `older` of another page.');
}

/** The cursor after which, newest first, come the rows with `at` up to `until`. */
export const cursorAfter = (until: number): EventCursor => {
  return { at: Math.floor(until) + 1, backend: '', historyId: 0, place: 0 };
};

/** The order of the index `lock_events_lock_at`, which on InnoDB ends with the primary key. */
export const NEWEST_FIRST = 'ORDER BY at DESC, backend DESC, history_id DESC, place DESC';

/** Selects the rows after a cursor in that order, and its own row if events of it are left. */
export function afterCursor({ at, backend, historyId, place, taken }: EventCursor) {
  const before = taken === undefined ? place : place + 1;
  const sql =
    'AND at <= ? AND (at < ? OR backend < ? OR ' +
    '(backend = ? AND (history_id < ? OR (history_id = ? AND place < ?))))';
  return { sql, values: [at, at, backend, backend, historyId, historyId, before] };
}
