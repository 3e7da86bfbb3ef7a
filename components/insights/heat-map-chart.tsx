'use client';

import Link from 'next/link';
import type { HeatMap, HeatRow } from '@/server/contract/console/past/overview';
import { durationText } from '@/server/core/format/durations';
import { lockPath } from '@/server/core/paths/console-path';
import { bucketLabel } from '../charts/axes/time-ticks';
import { ChartHead } from '../charts/chart-head';
import type { ZoomSpan } from '../locks/timeline/use-zoom';
import { pastHref } from '../past/past-address';
import { ExactName } from '../ui/visible-text';

/** The heat of a cell, from 1 to 5: its total waiting time as a share of its length. */
function heatOf(waiterMs: number, stepMs: number): number {
  const share = Math.min(1, waiterMs / stepMs);
  return Math.max(1, Math.ceil(share * 5));
}

/**
 * The locks that were waited for most, over time: one line each, on the time axis of the charts.
 */
export function HeatMapChart({
  heat,
  span,
  at,
}: {
  heat: HeatMap;
  span: ZoomSpan;
  /** The past time as of which its locks are opened; null: the present. */
  at: number | null;
}) {
  if (heat.rows.length === 0) return null;
  return (
    <div data-chart="heat">
      <ChartHead title="Time spent waiting, by lock">
        <span className="flex items-center gap-1.5">
          none
          {[1, 2, 3, 4, 5].map((level) => (
            <span key={level} className="heat-swatch" data-heat={level} aria-hidden="true" />
          ))}
          all of it
          <span className="heat-swatch ml-2" data-stuck="true" aria-hidden="true" />
          stuck
        </span>
      </ChartHead>
      <ul className="heat">
        {heat.rows.map((row) => (
          <li key={`${row.backend}/${row.namespace}/${row.name}`} className="heat-row">
            <Link
              href={pastHref(lockPath(row.namespace, row.name), at)}
              prefetch={false}
              className="heat-name"
              title={`${row.namespace}: waited ${durationText(row.waiterMs)} in all`}
            >
              <ExactName name={row.name} className="text-12" />
              {hasNamesake(row, heat.rows) && (
                <span className="max-w-[45%] shrink-0 truncate pl-1.5 text-12 text-t3">
                  {row.namespace}
                </span>
              )}
            </Link>
            <HeatCells row={row} heat={heat} span={span} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Whether only the namespace distinguishes a lock from another one of the map. */
const hasNamesake = ({ namespace, name }: HeatRow, rows: readonly HeatRow[]) =>
  rows.some((other) => other.name === name && other.namespace !== namespace);

function HeatCells({ row, heat, span }: { row: HeatRow; heat: HeatMap; span: ZoomSpan }) {
  const { from, stepMs, range } = heat;
  const spanMs = span.to - span.from;
  return (
    <span className="heat-cells" aria-hidden="true">
      {row.cells.map(({ step, waiterMs, status }) => {
        const at = from + step * stepMs;
        const begin = Math.max(0, (at - span.from) / spanMs);
        const end = Math.min(1, (at + stepMs - span.from) / spanMs);
        if (end <= begin) return null;
        return (
          <span
            key={step}
            className="heat-cell"
            data-heat={heatOf(waiterMs, stepMs)}
            data-stuck={status === 'stuck'}
            title={`${bucketLabel(range, at)}: ${durationText(waiterMs)} waited`}
            style={{ left: `${begin * 100}%`, width: `${(end - begin) * 100}%` }}
          />
        );
      })}
    </span>
  );
}
