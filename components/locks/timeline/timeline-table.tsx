'use client';

import Link from 'next/link';
import { useState } from 'react';
import type { ActMark, RefusalBar } from '@/server/contract/console/past/lock-timeline';
import { durationText } from '@/server/core/format/durations';
import { plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { keyed } from '../../format/keyed';
import { pastHref } from '../../past/past-address';
import { type Column, TableHead } from '../../ui/table-head';
import { actLabel, HOLD_END_LABELS, refusalTitle, WAIT_END_LABELS } from './timeline-labels';
import { endOf, type TimelineLanes } from './timeline-lanes';
import { clockLabel } from './timeline-ticks';

const COLUMNS: Column[] = ['Start', 'Who', 'What', 'Lasted'];

interface Line {
  id: string;
  at: number;
  who: string;
  what: string;
  lasted: string;
}

/** The bars of a timeline as lines, newest first, for who cannot see or point at them. */
export function TimelineTable(props: TimelineTableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="insight-more" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Show as table</summary>
      {isOpen && <Lines {...props} />}
    </details>
  );
}

interface TimelineTableProps {
  lanes: TimelineLanes;
  acts: readonly ActMark[];
  refused: readonly RefusalBar[];
  now: number;
  /** Of the lock's page. */
  path: string;
}

function Lines({ lanes, acts, refused, now, path }: TimelineTableProps) {
  const lines = linesOf(lanes, acts, refused, now);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must reach it to scroll
    <section className="insight-table timeline-table" aria-label="Timeline data" tabIndex={0}>
      <table>
        <TableHead columns={COLUMNS} />
        <tbody>
          {keyed(lines, ({ id }) => id).map(({ key, item: { at, who, what, lasted } }) => (
            <tr key={key}>
              <th scope="row">
                <Link
                  href={pastHref(path, at)}
                  prefetch={false}
                  className="link rounded-4"
                  title="See the lock at that time"
                >
                  {clockLabel(at, now)}
                </Link>
              </th>
              <td>{who}</td>
              <td>{what}</td>
              <td>{lasted}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function linesOf(
  { holds, lanes }: TimelineLanes,
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
  const waited = lanes.flatMap(({ owner, service, bars }) =>
    bars.map((bar): Line => {
      const what = bar.end ? `waited, ${WAIT_END_LABELS[bar.end]}` : 'waits';
      const lasted = durationText(endOf(bar, now) - bar.from);
      const id = `wait ${service} ${owner} ${bar.from} ${bar.to}`;
      return { id, at: bar.from, who: visibleText(owner), what, lasted };
    }),
  );
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
