import { type LockListMessage, pageAfter } from '@/server/contract/console/lock-list-message';
import type { LockPage } from '@/server/contract/console/lock-row';
import { sharedRows } from './shared-rows';

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
