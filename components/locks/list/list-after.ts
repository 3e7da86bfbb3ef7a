import { replaceEqualDeep } from '@tanstack/react-query';
import type { BackendHealth, ShardHealth } from '@/server/contract/console/backend-health';
import { type LockListMessage, pageAfter } from '@/server/contract/console/lock-list-message';
import type { LockPage, LockRow } from '@/server/contract/console/lock-row';

/** A page of the list, and the view that it is of. */
export interface ShownList {
  page: LockPage;
  view: string;
}

/** A message, and the view that was asked for. */
export interface ListNews {
  message: LockListMessage;
  view: string;
}

/** The list after a message, and its view: until the message came, the previous view was shown. */
export const shownAfter = ({ page }: ShownList, { message, view }: ListNews): ShownList => ({
  page: listAfter(page, message),
  view,
});

/**
 * The list after a message. Unchanged rows stay the same objects. A backend that is missing from
 * the message and did not respond before still does not, and its silence has grown.
 */
export function listAfter(before: LockPage, message: LockListMessage): LockPage {
  const page = pageAfter(before, message);
  if (message.kind === 'whole') return { ...page, rows: sharedRows(before.rows, page.rows) };
  if (message.frame.backends || before.backends.every(({ reachable }) => reachable)) return page;
  const passedMs = Math.max(0, page.asOf - before.asOf);
  const later = <H extends ShardHealth | BackendHealth>(health: H): H =>
    health.reachable ? health : { ...health, silentForMs: health.silentForMs + passedMs };
  const backends = before.backends.map((health) => {
    const { shards } = health;
    return { ...later(health), ...(shards && { shards: shards.map(later) }) };
  });
  return { ...page, backends };
}

/**
 * New rows, reusing the previous object of each that has not changed, so that it is not drawn
 * again. A new read time alone is no change: it matters only once the backend stops responding, and
 * then the status changes too.
 */
export function sharedRows(before: readonly LockRow[], fresh: readonly LockRow[]): LockRow[] {
  const byId = new Map(before.map((row) => [row.id, row]));
  return fresh.map((row) => {
    const old = byId.get(row.id);
    return old && isSame(old, row) ? old : row;
  });
}

/** Parts of a row change without its rev: other callers, baselines, what witnesses report. */
function isSame(old: LockRow, row: LockRow): boolean {
  const readAt = row.status === 'unknown' ? row.readAt : old.readAt;
  return replaceEqualDeep(old, { ...row, readAt }) === old;
}
