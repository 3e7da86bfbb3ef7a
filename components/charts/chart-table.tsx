'use client';

import { memo } from 'react';
import type { LockInsight } from '@/server/contract/console/insight-row';
import { exactCount } from '@/server/core/format/numbers';
import { useZone } from '../ui/instant';
import { type Column, TableHead } from '../ui/table-head';
import { bucketLabel } from './axes/time-ticks';
import { quantileLabel } from './chart-labels';

const COLUMNS: Column[] = [
  'Start',
  'Grants',
  'Wait p50',
  'Wait p99',
  'Hold p50',
  'Hold p99',
  'Expired',
  'Force-released',
  'Timed out',
  'Refused',
];

/** The charts over time as figures: the steps in which anything happened, newest first. */
export const ChartTable = memo(function ChartTable({
  insight: { range, points },
}: {
  insight: LockInsight;
}) {
  const zone = useZone();
  const active = points
    .filter(
      ({ grants, timeouts, expiries, forced, refused, holdP99Ms }) =>
        grants + timeouts + expiries + forced + refused > 0 || holdP99Ms !== null,
    )
    .reverse();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must reach it to scroll
    <section className="insight-table" aria-label="Chart data" tabIndex={0}>
      <table>
        <TableHead columns={COLUMNS} />
        <tbody>
          {active.map((point) => (
            <tr key={point.at}>
              <th scope="row">{bucketLabel(range, point.at, zone)}</th>
              <td>{exactCount(point.grants)}</td>
              <td>{quantileLabel(point.waitP50Ms)}</td>
              <td>{quantileLabel(point.waitP99Ms)}</td>
              <td>{quantileLabel(point.holdP50Ms)}</td>
              <td>{quantileLabel(point.holdP99Ms)}</td>
              <td>{exactCount(point.expiries)}</td>
              <td>{exactCount(point.forced)}</td>
              <td>{exactCount(point.timeouts)}</td>
              <td>{exactCount(point.refused)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
});
