import type { WaiterRow } from '../../contract/console/lock-row';
import type { QueueChanges } from '../../contract/console/waits/lock-detail-message';

/** The changes of a queue; null unless the waiters that stay are its first, in the same order. */
export function queueChanges(before: WaiterRow[], after: WaiterRow[]): QueueChanges | null {
  const present = new Set(after.map(({ ticket }) => ticket));
  const stayed = before.filter(({ ticket }) => present.has(ticket));
  const gone = before.filter(({ ticket }) => !present.has(ticket)).map(({ ticket }) => ticket);
  if (stayed.some(({ ticket }, place) => after[place]?.ticket !== ticket)) return null;
  const changed = stayed.flatMap((old, place) => {
    const now = after[place];
    return now && !isSame(old, now) ? [now] : [];
  });
  return { gone, waiters: [...changed, ...after.slice(stayed.length)] };
}

function isSame(a: WaiterRow, b: WaiterRow): boolean {
  return (
    a.detached === b.detached &&
    a.process === b.process &&
    a.patienceUntil === b.patienceUntil &&
    a.enqueuedAt === b.enqueuedAt &&
    a.mode === b.mode &&
    a.permits === b.permits &&
    a.setSize === b.setSize &&
    a.owner === b.owner &&
    a.service === b.service
  );
}
