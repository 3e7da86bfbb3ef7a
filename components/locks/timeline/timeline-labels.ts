import type {
  ActMark,
  HoldBar,
  LockTimeline,
  RefusalBar,
  WaitBar,
  WaitEnd,
} from '@/server/contract/console/past/lock-timeline';
import { durationText } from '@/server/core/format/durations';
import { exactCount, plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import type { Zone } from '../../format/instants';
import { shortToken } from '../../format/numbers';
import { eventLook } from '../lock/event-labels';
import type { TimelineLanes } from './timeline-lanes';
import { clockLabel } from './timeline-ticks';

export const HOLD_END_LABELS: Record<NonNullable<HoldBar['end']>, string> = {
  released: 'released',
  expired: 'expired',
  forced: 'force-released',
  late: 'granted too late, undone',
};

/** How often callers were refused in a minute, and who they were. */
export function refusalTitle({ attempts, owners, areMore }: RefusalBar): string {
  const names = owners.map((owner) => visibleText(owner)).join(', ');
  return `${plural(attempts, 'attempt')} refused: ${names}${areMore ? ' and others' : ''}`;
}

export const WAIT_END_LABELS: Record<WaitEnd, string> = {
  granted: 'granted',
  timeout: 'timed out',
  cancelled: 'cancelled',
  dropped: 'dropped',
  moved: 'moved to another queue',
};

const ACTS: Record<string, string> = {
  forced: 'released',
  extended: 'extended',
  frozen: 'froze',
  unfrozen: 'unfroze',
  asked: 'asked to release',
  stopped: 'blocked renewals',
  capacity: 'changed capacity',
};

/** What operators did, and the holders' processes that exited, as marks in the order of time. */
export function timelineMarks({ acts, deaths }: Pick<LockTimeline, 'acts' | 'deaths'>): ActMark[] {
  const exits = deaths.map(({ since: at, witness: by, evidence: reason }): ActMark => {
    return { at, kind: EXITED, by, reason };
  });
  return [...acts, ...exits].sort((a, b) => a.at - b.at);
}

/** The kind of a mark of what a witness has proven, not of an operator's act. */
const EXITED = 'exited';

/** What happened at a mark, in the few words of a flag: "ada asked to release". */
export function actLabel({ by, kind }: Pick<ActMark, 'by' | 'kind'>): string {
  if (kind === EXITED) return 'process exited';
  return `${visibleText(by)} ${ACTS[kind] ?? eventLook(kind).label.toLowerCase()}`;
}

const span = (bar: { from: number; to: number | null }, now: number, zone: Zone) =>
  `${clockLabel(bar.from, now, zone)} – ` +
  `${bar.to === null ? 'now' : clockLabel(bar.to, now, zone)}, ` +
  durationText((bar.to ?? now) - bar.from);

/** A hold in full: who, when, for how long, and how it ended. */
export function holdTitle(bar: HoldBar, isLive: boolean, now: number, zone?: Zone): string {
  if (bar.count > 1) return `${plural(bar.count, 'hold')}, ${span(bar, now, zone)}`;
  const end = isLive ? 'still held' : bar.end ? HOLD_END_LABELS[bar.end] : 'end not recorded yet';
  const grant = `${visibleText(bar.owner)}, token ${shortToken(bar.token)}`;
  return `${grant}, ${span(bar, now, zone)}, ${end}`;
}

/** A wait in full. */
export function waitTitle(bar: WaitBar, now: number, zone?: Zone): string {
  const end = bar.end ? WAIT_END_LABELS[bar.end] : 'still waiting';
  return `${visibleText(bar.owner)}, ${span(bar, now, zone)}, ${end}`;
}

/** How many waiters, or else waits, have no lane of their own; empty if all have. */
export function undrawnLabel({ more, moreWaits }: Pick<TimelineLanes, 'more' | 'moreWaits'>) {
  if (more > 0) return `${exactCount(more)} more`;
  return moreWaits > 0 ? plural(moreWaits, 'more wait') : '';
}

/** The timeline in one sentence, for screen readers. */
export function timelineSummary(lanes: TimelineLanes, acts: readonly ActMark[]): string {
  const holds = lanes.holds.reduce((sum, { bar }) => sum + bar.count, 0);
  const waiters = lanes.lanes.length + lanes.more;
  const waits = lanes.moreWaits === 0 ? '' : ` and ${plural(lanes.moreWaits, 'more wait')}`;
  const exits = acts.filter(({ kind }) => kind === EXITED).length;
  const done = acts.length - exits;
  const acted = done === 0 ? 'no operator acts' : plural(done, 'operator act');
  const exited = exits === 0 ? '' : `, ${plural(exits, 'process exit')}`;
  return `${plural(holds, 'hold')}, ${plural(waiters, 'waiter')}${waits}, ${acted}${exited}.`;
}
