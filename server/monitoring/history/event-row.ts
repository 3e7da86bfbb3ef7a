import type { EventRow } from '../../contract/console/lock-row';
import type { LockEvent } from '../../core/lock/lock-event';

/** Where an event is in the recorded history. */
interface EventPlace {
  rev: number;
  historyId: number;
  place: number;
}

/** Sorts as numbers within one lock; the cursor of paging. */
export const eventId = ({ rev, historyId, place }: EventPlace) => `${rev}.${historyId}.${place}`;

/** A recorded event, as the console shows it. */
export function eventRow({ event, ...found }: EventPlace & { event: LockEvent }): EventRow {
  return {
    id: eventId(found),
    at: event.at,
    rev: event.rev,
    kind: event.kind,
    service: event.service,
    owner: event.owner ?? '',
    token: event.token ?? null,
    waitedMs: event.waitedMs ?? null,
    heldMs: event.heldMs ?? null,
    expiresAt: event.expiresAt ?? null,
    permits: event.permits ?? null,
    capacity: event.capacity ?? null,
    by: event.by ?? null,
    reason: event.reason ?? null,
  };
}
