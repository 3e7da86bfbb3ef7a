import type { LockDetail, WaiterRow } from '../lock-row';

/**
 * The messages of a live lock. The first contains its whole queue, later ones the changes since the
 * message before: a queue can have thousands of waiters, few of which change at a time.
 */
export type LockDetailMessage =
  | { kind: 'whole'; detail: LockDetail; asOf: number }
  | { kind: 'changes'; frame: Omit<LockDetail, 'waiters'>; queue: QueueChanges; asOf: number };

/** How a queue differs from the one before. The order of the waiters that stay is the same. */
export interface QueueChanges {
  /** The tickets of the waiters that left. */
  gone: number[];
  /** The waiters that changed, in no order, then those that joined, in queue order. */
  waiters: WaiterRow[];
}

/**
 * The lock after a message, given the lock before it. Unchanged waiters are the same objects, and
 * so is an unchanged queue.
 *
 * @param before null before the first message, which is whole
 */
export function detailAfter<D extends LockDetail | null>(
  before: D,
  message: LockDetailMessage,
): D | LockDetail {
  if (message.kind === 'whole') return message.detail;
  return before && { ...message.frame, waiters: queueAfter(before.waiters, message.queue) };
}

function queueAfter(before: WaiterRow[], { gone, waiters }: QueueChanges): WaiterRow[] {
  if (gone.length === 0 && waiters.length === 0) return before;
  const left = new Set(gone);
  const fresh = new Map(waiters.map((waiter) => [waiter.ticket, waiter]));
  const stayed = before
    .filter(({ ticket }) => !left.has(ticket))
    .map((waiter) => {
      const changed = fresh.get(waiter.ticket);
      fresh.delete(waiter.ticket);
      return changed ?? waiter;
    });
  return [...stayed, ...fresh.values()];
}
