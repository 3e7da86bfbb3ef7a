'use client';

import { type PointerEvent, type ReactNode, useRef, useState } from 'react';
import type { InsightRange } from '@/server/contract/console/insight-row';
import type { Overview } from '@/server/contract/console/past/overview';
import { AbnormalEndsChart } from '../charts/abnormal-ends-chart';
import { chartsSummary, hasHistory } from '../charts/chart-labels';
import { rangeLabel } from '../charts/chart-range';
import { ChartTable } from '../charts/chart-table';
import { CountChart } from '../charts/count-chart';
import { DurationChart } from '../charts/duration-chart';
import { useZoom, type ZoomSpan } from '../locks/timeline/use-zoom';
import { Button } from '../ui/controls/button';
import { Panel } from '../ui/panel';
import { HeatMapChart } from './heat-map-chart';
import { zoomedInsight, zoomWithin } from './zoomed-insight';

/**
 * The charts of all locks together, with a shared cursor. Loaded separately, since the chart
 * library is large.
 */
export default function OverviewPanel({
  overview,
  at,
}: {
  overview: Overview;
  /** The past time that it is of; null: the present. */
  at: number | null;
}) {
  const { range, heat } = overview;
  const [chosen, setChosen] = useState<(ZoomSpan & { range: InsightRange }) | null>(null);
  const zoom = chosen?.range === range ? zoomWithin(overview, chosen) : null;
  const setZoom = (span: ZoomSpan) => setChosen({ ...span, range });
  const whole = { ...overview, ownHold: null };
  const insight = zoomedInsight(whole, zoom);
  const from = insight.points[0]?.at ?? 0;
  const span = { from, to: (insight.points.at(-1)?.at ?? from) + insight.stepMs };
  return (
    <Panel
      title="All locks"
      aside={`${rangeLabel(range, at)}${zoom ? ', zoomed; figures are for the whole range' : ''}`}
      end={
        zoom && (
          <Button size="small" onClick={() => setChosen(null)}>
            Reset zoom
          </Button>
        )
      }
    >
      {hasHistory(overview) || heat.rows.length > 0 ? (
        <>
          <LinkedCharts span={span} onZoom={setZoom} summary={chartsSummary(overview, at)}>
            <HeatMapChart heat={heat} span={span} at={at} />
            <CountChart insight={insight} of="grants" />
            <DurationChart insight={insight} of="wait" />
            <DurationChart insight={insight} of="hold" />
            {overview.total.refused > 0 && <CountChart insight={insight} of="refused" />}
            <AbnormalEndsChart insight={insight} />
          </LinkedCharts>
          <details className="insight-more">
            <summary>Show as table</summary>
            <ChartTable insight={whole} />
          </details>
        </>
      ) : (
        <p className="px-3.5 py-3">
          No activity in the {rangeLabel(range, at)}.{' '}
          <span className="text-t3">
            Grants, waits and holds appear here once a service acquires a lock.
          </span>
        </p>
      )}
    </Panel>
  );
}

const plotIn = (charts: HTMLElement) => charts.querySelector<HTMLElement>('.overview-plot');

/** One cursor line and one selection over all charts, whichever is pointed at. */
function LinkedCharts({
  span,
  onZoom,
  summary,
  children,
}: {
  span: ZoomSpan;
  onZoom: (zoom: ZoomSpan) => void;
  summary: string;
  children: ReactNode;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState<number | null>(null);
  const { selection, handlers } = useZoom(span, onZoom, plotIn);
  const point = (event: PointerEvent<HTMLElement>) => {
    const box = ref.current?.getBoundingClientRect();
    if (!box) return;
    const share = (event.clientX - box.left) / box.width;
    setCursor(share >= 0 && share <= 1 ? share : null);
  };
  return (
    <figure
      className="overview-charts charts-over-time"
      aria-label={summary}
      {...handlers}
      onPointerMove={(event) => {
        point(event);
        handlers.onPointerMove(event);
      }}
      onPointerLeave={() => setCursor(null)}
    >
      {children}
      <div className="overview-plot" ref={ref} aria-hidden="true">
        {cursor !== null && !selection && (
          <span className="overview-cursor" style={{ left: `${cursor * 100}%` }} />
        )}
        {selection && (
          <span
            className="overview-selection"
            style={{ left: `${selection.left * 100}%`, width: `${selection.width * 100}%` }}
          />
        )}
      </div>
    </figure>
  );
}
