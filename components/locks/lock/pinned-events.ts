import type { LockDetail } from '@/server/contract/console/lock-row';
import { pastDuration } from '@/server/core/format/durations';
import { visibleText } from '@/server/core/format/visible-text';
import { stuckLabel } from '../lock-labels';
import { type EventLook, eventLook } from './event-labels';

/** An event that explains the present state, however long ago it was. */
export interface PinnedEvent {
  id: string;
  at: number;
  look: EventLook;
  owner: string;
  detail: string;
  token: number | null;
}

const STUCK_LOOK: EventLook = { label: 'Stuck', icon: 'alert-octagon', ink: 'text-dangertext' };

const EXIT_LOOK: EventLook = { label: 'Process exited', icon: 'unplug', ink: 'text-dangertext' };

/**
 * What a reader looks for first in a lock's history, from the lock itself: its grant, since when it
 * is stuck or its process is gone, and what operators asked of the present hold. Newest first.
 *
 * @param now the clock of the lock's backend
 */
export function pinnedEvents({ row }: Pick<LockDetail, 'row'>, now: number): PinnedEvent[] {
  const { hold, stuck, orphaned, frozen } = row;
  const pinned: PinnedEvent[] = [];
  if (hold) {
    const { grantedAt: at, owner, token, waitedMs } = hold;
    const detail = waitedMs > 0 ? `after waiting ${pastDuration(waitedMs)}` : 'immediately';
    pinned.push({ id: 'granted', at, look: eventLook('granted'), owner, detail, token });
    const remarks = { asked: hold.askedToRelease, stopped: hold.renewalsStopped };
    for (const [kind, remark] of Object.entries(remarks)) {
      if (remark) pinned.push({ ...remarked(kind, remark), token });
    }
  }
  if (orphaned) {
    const detail = visibleText(hold?.liveness?.evidence ?? '');
    const token = hold?.token ?? null;
    pinned.push({ id: 'exited', at: orphaned.since, look: EXIT_LOOK, owner: '', detail, token });
  }
  if (frozen) pinned.push(remarked('frozen', frozen));
  if (stuck) {
    const detail = stuckLabel(row, now);
    const token = hold?.token ?? null;
    pinned.push({ id: 'stuck', at: stuck.since, look: STUCK_LOOK, owner: '', detail, token });
  }
  return pinned.sort((a, b) => b.at - a.at);
}

function remarked(
  kind: string,
  { at, by, reason }: { at: number; by: string; reason: string },
): PinnedEvent {
  const detail = `by ${visibleText(by)}: “${visibleText(reason)}”`;
  return { id: kind, at, look: eventLook(kind), owner: '', detail, token: null };
}
