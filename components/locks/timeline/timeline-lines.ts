import type { ActMark, RefusalBar } from '@/server/contract/console/past/lock-timeline';
import { durationText } from '@/server/core/format/durations';
import { plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { partyKey } from '@/server/core/party';
import { actLabel, HOLD_END_LABELS, refusalTitle, WAIT_END_LABELS } from './timeline-labels';
import { endOf, type TimelineLanes } from './timeline-lanes';

/** A bar or mark of a timeline in words. */
interface Line {
  id: string;
  at: number;
  who: string;
  what: string;
  lasted: string;
}

/** Everything that a timeline draws, as lines of a table, newest first. */
export function timelineLines(
  { holds, lanes, folded }: TimelineLanes,
  acts: readonly ActMark[],
  refused: readonly RefusalBar[],
  now: number,
): Line[] {
  const held = holds.map(({ bar, isLive }): Line => {
    const who = bar.count > 1 ? plural(bar.count, 'hold') : visibleText(bar.owner);
    const ended = bar.end ? HOLD_END_LABELS[bar.end] : 'end not recorded yet';
    const what = isLive ? 'holds it' : `held, ${ended}`;
    const lasted = durationText(endOf(bar, now) - bar.from);
    return { id: `hold ${bar.token}`, at: bar.from, who, what, lasted };
  });
  const waited = [...lanes.flatMap(({ bars }) => bars), ...folded].map((bar): Line => {
    const what = bar.end ? `waited, ${WAIT_END_LABELS[bar.end]}` : 'waits';
    const lasted = durationText(endOf(bar, now) - bar.from);
    const id = `wait ${bar.service} ${bar.owner} ${bar.from} ${bar.to}`;
    return { id, at: bar.from, who: visibleText(bar.owner), what, lasted };
  });
  const acted = acts.map((act): Line => {
    const id = `act ${act.at} ${act.kind}`;
    return { id, at: act.at, who: visibleText(act.by), what: actLabel(act), lasted: '' };
  });
  const turnedAway = refused.map((bar): Line => {
    const who = visibleText(bar.owners[0] ?? '');
    const lasted = durationText(bar.to - bar.from);
    return { id: `refused ${bar.from}`, at: bar.from, who, what: refusalTitle(bar), lasted };
  });
  return [...held, ...waited, ...acted, ...turnedAway].sort((a, b) => b.at - a.at);
}

/** What a timeline counts but does not draw, in words; null: it draws everything. */
export function unlistedText({
  folded,
  more,
  moreWaits,
}: Pick<TimelineLanes, 'folded' | 'more' | 'moreWaits'>): string | null {
  const waiters = more - new Set(folded.map(partyKey)).size;
  const parts = [
    ...(waiters > 0 ? [plural(waiters, 'more waiter')] : []),
    ...(moreWaits > 0 ? [plural(moreWaits, 'more wait')] : []),
  ];
  return parts.length === 0 ? null : `${parts.join(' and ')} not listed.`;
}
