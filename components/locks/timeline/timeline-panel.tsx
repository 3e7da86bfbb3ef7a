'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ComponentProps, useMemo, useState } from 'react';
import type { LockDetail } from '@/server/contract/console/lock-row';
import type { LockTimeline } from '@/server/contract/console/past/lock-timeline';
import { lockPath } from '@/server/core/paths/console-path';
import { DAY_MS, MINUTE_MS } from '@/server/core/time-units';
import { rangeText } from '../../format/durations';
import { useAtBackend } from '../../live/reading';
import { useTRPC } from '../../live/trpc';
import { useIsHydrated } from '../../live/use-is-hydrated';
import { Button } from '../../ui/controls/button';
import { Panel } from '../../ui/panel';
import { ReadFailureNote } from '../../ui/unanswered/read-failure-note';
import { timelineMarks, timelineSummary } from './timeline-labels';
import { timelineLanes } from './timeline-lanes';
import { PlotSpace, TimelinePlot } from './timeline-plot';
import { TimelineTable, type TimelineTableProps } from './timeline-table';
import { clockLabel } from './timeline-ticks';
import type { ZoomSpan } from './use-zoom';

/** The spans that end now, to choose from. */
const SPANS_MS = [5, 15, 60, 6 * 60, 24 * 60].map((minutes) => minutes * MINUTE_MS);

/** How often the past is read again while the present is in view. */
const REFETCH_MS = 5_000;

/** A timeline advances by this share of its span at a time, which is less than a pixel or two. */
const STEP_SHARE = 1 / 900;

/** Who held the lock and who waited for it over time, and what operators did. */
export function TimelinePanel({ detail }: { detail: LockDetail }) {
  const { namespace, name, backend } = detail.row;
  const [spanMs, setSpanMs] = useState(() => firstSpanMs(detail));
  const [zoom, setZoom] = useState<ZoomSpan | null>(null);
  const isHydrated = useIsHydrated();
  const stepMs = Math.max(1_000, spanMs * STEP_SHARE);
  const isPast = detail.past !== undefined;
  const now = useAtBackend({ backend }, (at) => (isPast ? at : Math.ceil(at / stepMs) * stepMs));
  const span = zoom ?? { from: now - spanMs, to: now };
  const trpc = useTRPC();
  const shown = zoom ?? (isPast ? span : null);
  const asked = shown ? { spanMs: shown.to - shown.from, to: shown.to } : { spanMs };
  const { data, error } = useQuery(
    trpc.insights.timeline.queryOptions(
      { namespace, name, ...asked },
      {
        placeholderData: keepPreviousData,
        ...(shown === null && { refetchInterval: REFETCH_MS }),
      },
    ),
  );
  const chooseSpan = (ms: number) => {
    setZoom(null);
    setSpanMs(ms);
  };
  const { from, to } = span;
  const lanes = useMemo(
    () => timelineLanes(data ?? null, detail, { from, to, now }),
    [data, detail, from, to, now],
  );
  const marked = data ? timelineMarks(data) : [];
  const acts = marked.filter(({ at }) => at >= span.from && at <= span.to);
  const refused = data?.refused.filter(({ from, to }) => to >= span.from && from < span.to) ?? [];
  const marks = lanes.holds.length + lanes.lanes.length + acts.length + refused.length;
  const isEmpty = marks === 0;
  return (
    <Panel
      title="Timeline"
      aside={isHydrated && zoom && `${clockLabel(zoom.from, now)} – ${clockLabel(zoom.to, now)}`}
      end={
        <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
          {!isEmpty && <Legend />}
          {zoom && (
            <Button size="small" onClick={() => setZoom(null)}>
              Reset zoom
            </Button>
          )}
          <Spans spanMs={zoom ? null : spanMs} onSpan={chooseSpan} />
        </span>
      }
    >
      <ReadFailureNote error={error} shown={data} what="the timeline" />
      {isHydrated && data && data.since > Math.max(data.from, span.from) && (
        <CutNote timeline={data} now={now} />
      )}
      {isEmpty ? (
        <p className="px-3.5 py-3 text-t2">
          {data ? `Not used in ${zoom ? 'this span' : spanLabel(spanMs, isPast)}.` : '\u00a0'}
        </p>
      ) : !isHydrated ? (
        <PlotSpace lanes={lanes} acts={acts} refused={refused} />
      ) : (
        <>
          <figure aria-label={`Timeline: ${timelineSummary(lanes, acts)}`}>
            <LivePlot
              lanes={lanes}
              acts={acts}
              refused={refused}
              span={span}
              now={now}
              backend={backend}
              path={lockPath(namespace, name)}
              onZoom={setZoom}
            />
          </figure>
          <LiveTable
            lanes={lanes}
            acts={acts}
            refused={refused}
            backend={backend}
            path={lockPath(namespace, name)}
          />
        </>
      )}
    </Panel>
  );
}

/** It is drawn in coarse steps, but the titles of its bars agree with the rest of the page. */
function LivePlot({
  backend,
  ...props
}: Omit<ComponentProps<typeof TimelinePlot>, 'titlesAt'> & { backend: string }) {
  const now = useAtBackend({ backend }, (at) => at);
  return <TimelinePlot {...props} titlesAt={now} />;
}

function LiveTable({ backend, ...props }: Omit<TimelineTableProps, 'now'> & { backend: string }) {
  const now = useAtBackend({ backend }, (at) => at);
  return <TimelineTable {...props} now={now} />;
}

const spanLabel = (spanMs: number, isPast: boolean) =>
  isPast ? `the ${rangeText(spanMs)} before this instant` : `the last ${rangeText(spanMs)}`;

/** The first span that shows the beginning of the present hold and of the oldest wait. */
function firstSpanMs({ row, asOf }: LockDetail): number {
  const begin = Math.min(row.hold?.grantedAt ?? asOf, row.oldestWaitAt ?? asOf);
  const neededMs = (asOf - begin) * 1.25;
  return SPANS_MS.find((ms) => ms >= neededMs) ?? DAY_MS;
}

function CutNote({ timeline: { since }, now }: { timeline: LockTimeline; now: number }) {
  return (
    <p className="px-3.5 pt-2.5 text-12 text-t2">
      Too many events for this span: complete since {clockLabel(since, now)}.
    </p>
  );
}

function Spans({ spanMs, onSpan }: { spanMs: number | null; onSpan: (ms: number) => void }) {
  return (
    <fieldset className="flex gap-1">
      <legend className="sr-only">Span</legend>
      {SPANS_MS.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === spanMs}
          aria-label={`Last ${rangeText(each)}`}
          onClick={() => onSpan(each)}
          className="range-button"
        >
          {rangeText(each)}
        </button>
      ))}
    </fieldset>
  );
}

const LEGEND = [
  ['held', 'held'],
  ['long', 'past p99'],
  ['stuck', 'stuck'],
  ['wait', 'waiting'],
  ['refused', 'refused'],
  ['act', 'operator'],
] as const;

function Legend() {
  return (
    <ul className="flex gap-3 max-lg:hidden">
      {LEGEND.map(([tone, label]) => (
        <li key={tone} className="flex items-center gap-1.5">
          <span className="timeline-swatch" data-tone={tone} aria-hidden="true" />
          {label}
        </li>
      ))}
    </ul>
  );
}
