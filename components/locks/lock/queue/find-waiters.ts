import type { WaiterRow } from '@/server/contract/console/lock-row';

export interface PlacedWaiter {
  waiter: WaiterRow;
  /** Its position in the queue, from 0. */
  place: number;
}

/** A queue of at least this many waiters can be searched. */
export const SEARCHED_FROM = 20;

/** The waiters whose owner or service contains a text, ignoring case, in their order. */
export function findWaiters(waiters: readonly WaiterRow[], text: string): PlacedWaiter[] {
  const wanted = text.trim().toLowerCase();
  const placed = waiters.map((waiter, place) => ({ waiter, place }));
  if (wanted === '') return placed;
  return placed.filter(
    ({ waiter: { owner, service } }) =>
      owner.toLowerCase().includes(wanted) || service.toLowerCase().includes(wanted),
  );
}
