import type { EventRow } from '@/server/contract/console/lock-row';
import { durationText } from '@/server/core/format/durations';
import { plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import type { IconName } from '../../icons/icon';

/** An event's look in a list: operators' acts in the accent, trouble in its colour. */
export interface EventLook {
  label: string;
  icon: IconName;
  ink: string;
}

const LOOKS: Record<string, EventLook> = {
  granted: { label: 'Granted', icon: 'lock', ink: 'text-t1' },
  reentered: { label: 'Re-entered', icon: 'lock', ink: 'text-t2' },
  queued: { label: 'Queued', icon: 'queue', ink: 'text-t2' },
  offered: { label: 'Offered', icon: 'arrow-right', ink: 'text-t2' },
  withdrawn: { label: 'Offer revoked', icon: 'close', ink: 'text-t2' },
  renewed: { label: 'Renewed', icon: 'refresh', ink: 'text-t2' },
  released: { label: 'Released', icon: 'lock-open', ink: 'text-t2' },
  kept: { label: 'Released, still held', icon: 'lock', ink: 'text-t2' },
  decremented: { label: 'Re-entry released', icon: 'lock-open', ink: 'text-t2' },
  expired: { label: 'Expired', icon: 'timer-off', ink: 'text-expired' },
  forced: { label: 'Force-released', icon: 'lock-open', ink: 'text-acc' },
  extended: { label: 'Extended', icon: 'clock', ink: 'text-acc' },
  timeout: { label: 'Timed out', icon: 'hourglass', ink: 'text-t2' },
  cancelled: { label: 'Cancelled', icon: 'close', ink: 'text-t2' },
  dropped: { label: 'Dropped from queue', icon: 'close', ink: 'text-t2' },
  moved: { label: 'Moved to another queue', icon: 'arrow-right', ink: 'text-t2' },
  detached: { label: 'Disconnected', icon: 'clock', ink: 'text-t3' },
  resumed: { label: 'Reconnected', icon: 'clock', ink: 'text-t3' },
  frozen: { label: 'Frozen', icon: 'snowflake', ink: 'text-acc' },
  unfrozen: { label: 'Unfrozen', icon: 'snowflake', ink: 'text-acc' },
  asked: { label: 'Asked to release', icon: 'hand', ink: 'text-acc' },
  stopped: { label: 'Renewals blocked', icon: 'hourglass', ink: 'text-acc' },
  capacity: { label: 'Capacity changed', icon: 'gauge', ink: 'text-acc' },
  late: { label: 'Granted too late, undone', icon: 'clock', ink: 'text-t2' },
};

/** An event of a kind that this page does not know yet is shown by its name. */
export function eventLook(kind: string): EventLook {
  return LOOKS[kind] ?? { label: kind, icon: 'question', ink: 'text-t2' };
}

/** The details of an event beyond its kind and its owner; empty if there are none. */
export function eventDetail(event: EventRow): string {
  const { kind, at, waitedMs, heldMs, expiresAt, permits, capacity, by, reason } = event;
  const parts: string[] = [];
  if (capacity !== null) parts.push(`to ${plural(capacity, 'permit')}`);
  if (permits !== null) parts.push(plural(permits, 'permit'));
  if (by) {
    const who = `by ${visibleText(by)}`;
    parts.push(reason ? `${who}: “${visibleText(reason)}”` : who);
  }
  if (kind === 'withdrawn') parts.push('queue position kept');
  else if (kind === 'granted')
    parts.push(waitedMs ? `after waiting ${durationText(waitedMs)}` : 'immediately');
  else if (waitedMs !== null && waitedMs > 0) parts.push(`after waiting ${durationText(waitedMs)}`);
  if (kind === 'kept' && expiresAt !== null) {
    parts.push(`for another ${durationText(Math.max(0, expiresAt - at))}`);
  }
  if (heldMs !== null) parts.push(`held ${durationText(heldMs)}`);
  return parts.join(', ');
}
