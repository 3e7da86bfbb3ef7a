'use client';

import Link from 'next/link';
import { useState } from 'react';
import type { ActMark, RefusalBar } from '@/server/contract/console/past/lock-timeline';
import { keyed } from '../../format/keyed';
import { pastHref } from '../../past/past-address';
import { type Column, TableHead } from '../../ui/table-head';
import type { TimelineLanes } from './timeline-lanes';
import { timelineLines, unlistedText } from './timeline-lines';
import { clockLabel } from './timeline-ticks';

const COLUMNS: Column[] = ['Start', 'Who', 'What', 'Lasted'];

/** The bars of a timeline as lines, newest first, for users who cannot see or point at them. */
export function TimelineTable(props: TimelineTableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="insight-more" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Show as table</summary>
      {isOpen && <Lines {...props} />}
    </details>
  );
}

export interface TimelineTableProps {
  lanes: TimelineLanes;
  acts: readonly ActMark[];
  refused: readonly RefusalBar[];
  now: number;
  /** The path of the lock's page. */
  path: string;
}

function Lines({ lanes, acts, refused, now, path }: TimelineTableProps) {
  const lines = timelineLines(lanes, acts, refused, now);
  const unlisted = unlistedText(lanes);
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
      {unlisted && <p className="py-2 text-12 text-t3">{unlisted}</p>}
    </section>
  );
}
