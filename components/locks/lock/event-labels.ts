import type { EventRow } from '@/server/contract/console/lock-row';
import { durationText } from '../../format/durations';
import { visibleText } from '../../format/visible-name';
import type { IconName } from '../../icons/icon-shapes';

/**
 * How an event looks in a list: operators' acts in the accent, trouble in its state's colour, the
 * rest quiet.
 */
export interface EventLook {
  word: string;
  icon: IconName;
  ink: string;
}

const LOOKS: Record<string, EventLook> = {
  granted: { word: 'Granted', icon: 'lock', ink: 'text-t1' },
  reentered: { word: 'Re-entered', icon: 'lock', ink: 'text-t2' },
  queued: { word: 'Queued', icon: 'queue', ink: 'text-t2' },
  offered: { word: 'Offered', icon: 'arrow-right', ink: 'text-t2' },
  withdrawn: { word: 'Taken back', icon: 'close', ink: 'text-t2' },
  renewed: { word: 'Renewed', icon: 'refresh', ink: 'text-t2' },
  released: { word: 'Released', icon: 'lock-open', ink: 'text-t2' },
  decremented: { word: 'Left once', icon: 'lock-open', ink: 'text-t2' },
  expired: { word: 'Expired', icon: 'timer-off', ink: 'text-expired' },
  forced: { word: 'Forced', icon: 'lock-open', ink: 'text-acc' },
  extended: { word: 'Extended', icon: 'clock', ink: 'text-acc' },
  timeout: { word: 'Gave up', icon: 'hourglass', ink: 'text-t2' },
  cancelled: { word: 'Cancelled', icon: 'close', ink: 'text-t2' },
  dropped: { word: 'Dropped', icon: 'close', ink: 'text-t2' },
  moved: { word: 'Moved on', icon: 'arrow-right', ink: 'text-t2' },
  detached: { word: 'Off the line', icon: 'clock', ink: 'text-t3' },
  resumed: { word: 'Back on it', icon: 'clock', ink: 'text-t3' },
  frozen: { word: 'Frozen', icon: 'snowflake', ink: 'text-acc' },
  unfrozen: { word: 'Unfrozen', icon: 'snowflake', ink: 'text-acc' },
  asked: { word: 'Asked', icon: 'hand', ink: 'text-acc' },
  stopped: { word: 'Stopped', icon: 'hourglass', ink: 'text-acc' },
  late: { word: 'Came late', icon: 'clock', ink: 'text-t2' },
};

/** An event of a kind that this page does not know yet is shown by its name. */
export function eventLook(kind: string): EventLook {
  return LOOKS[kind] ?? { word: kind, icon: 'question', ink: 'text-t2' };
}

/** What an event says beyond its kind and its owner; empty where that is all. */
export function eventDetail(event: EventRow): string {
  const { kind, waitedMs, heldMs, by, reason } = event;
  const parts: string[] = [];
  if (by) {
    const who = `by ${visibleText(by)}`;
    parts.push(reason ? `${who}: “${visibleText(reason)}”` : who);
  }
  if (kind === 'withdrawn') parts.push('the offer; its place in the queue is kept');
  else if (kind === 'granted')
    parts.push(waitedMs ? `waited ${durationText(waitedMs)}` : 'at once');
  else if (waitedMs !== null && waitedMs > 0)
    parts.push(`after ${durationText(waitedMs)} in the queue`);
  if (heldMs !== null) parts.push(`held ${durationText(heldMs)}`);
  return parts.join(', ');
}
