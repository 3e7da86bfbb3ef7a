import type { EventRow } from '../../contract/console/lock-row';
import type { PlacedEvent } from './bundled-events';

/** Unique within one lock. */
export const eventId = ({ event, historyId, place }: PlacedEvent<{ rev: number }>) =>
  `${event.rev}.${historyId}.${place}`;

/** A recorded event, as the console shows it. */
export function eventRow(found: PlacedEvent): EventRow {
  const { event } = found;
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
    capacity: event.kind === 'capacity' ? (event.capacity ?? null) : null,
    by: event.by ?? null,
    reason: event.reason ?? null,
  };
}
