'use client';

import type { LockInsight } from '@/server/contract/console/insight-row';
import { exactCount } from '../format/counts';
import { quantileText } from './chart-labels';
import { stepText } from './drawing/time-ticks';

/** The charts over time as figures: the steps in which anything happened, newest first. */
export function InsightTable({ insight: { range, points } }: { insight: LockInsight }) {
  const told = points
    .filter(
      ({ grants, timeouts, expiries, forced, holdP99Ms }) =>
        grants + timeouts + expiries + forced > 0 || holdP99Ms !== null,
    )
    .reverse();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must reach it to scroll
    <section className="insight-table" aria-label="The charts as a table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {[
              'From',
              'Grants',
              'Wait p50',
              'Wait p99',
              'Hold p50',
              'Hold p99',
              'Expired',
              'Forced',
              'Gave up',
            ].map((word) => (
              <th key={word} scope="col">
                {word}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {told.map((point) => (
            <tr key={point.at}>
              <th scope="row">{stepText(range, point.at)}</th>
              <td>{exactCount(point.grants)}</td>
              <td>{quantileText(point.waitP50Ms)}</td>
              <td>{quantileText(point.waitP99Ms)}</td>
              <td>{quantileText(point.holdP50Ms)}</td>
              <td>{quantileText(point.holdP99Ms)}</td>
              <td>{exactCount(point.expiries)}</td>
              <td>{exactCount(point.forced)}</td>
              <td>{exactCount(point.timeouts)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
