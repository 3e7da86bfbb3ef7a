import { type LockListMessage, pageAfter } from '@/server/contract/console/lock-list-message';
import type { LockPage, LockRow } from '@/server/contract/console/lock-row';

/**
 * The list after a message. Unchanged rows stay the same objects. A backend that is missing from
 * the message and did not respond before still does not, and its silence has grown.
 */
export function listAfter(before: LockPage, message: LockListMessage): LockPage {
  const page = pageAfter(before, message);
  if (message.kind === 'whole') return { ...page, rows: sharedRows(before.rows, page.rows) };
  if (message.frame.backends || before.backends.every(({ reachable }) => reachable)) return page;
  const passedMs = Math.max(0, page.asOf - before.asOf);
  const backends = before.backends.map((health) =>
    health.reachable ? health : { ...health, silentForMs: health.silentForMs + passedMs },
  );
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

function isSame(a: LockRow, b: LockRow): boolean {
  return (
    a.rev === b.rev &&
    a.status === b.status &&
    a.stuck?.kind === b.stuck?.kind &&
    a.stuck?.limitMs === b.stuck?.limitMs &&
    a.orphaned?.token === b.orphaned?.token &&
    a.orphaned?.dead === b.orphaned?.dead &&
    a.status !== 'unknown' &&
    a.waiters === b.waiters &&
    a.oldestWaitAt === b.oldestWaitAt &&
    a.holders === b.holders &&
    a.hold?.token === b.hold?.token &&
    a.ended?.token === b.ended?.token &&
    a.ownHold?.p99Ms === b.ownHold?.p99Ms &&
    a.ownHold?.count === b.ownHold?.count
  );
}
