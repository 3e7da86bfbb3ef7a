'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useState } from 'react';
import type { IncidentDetail, IncidentPage } from '@/server/contract/console/past/incident';
import type { ActMark } from '@/server/contract/console/past/lock-timeline';
import { durationText } from '@/server/core/format/durations';
import { lockPath } from '@/server/core/paths/console-path';
import { Icon } from '../icons/icon';
import { refetchEvery, useTRPC } from '../live/trpc';
import { useIsHydrated } from '../live/use-is-hydrated';
import { actLabel, timelineMarks, timelineSummary } from '../locks/timeline/timeline-labels';
import { PlotSpace, TimelinePlot } from '../locks/timeline/timeline-plot';
import { TimelineTable } from '../locks/timeline/timeline-table';
import { clockLabel } from '../locks/timeline/timeline-ticks';
import type { ZoomSpan } from '../locks/timeline/use-zoom';
import { NearLink } from '../navigation/near-link';
import { pastHref } from '../past/past-address';
import { Button } from '../ui/controls/button';
import { Instant } from '../ui/instant';
import { Panel } from '../ui/panel';
import { StatusBadge } from '../ui/status-badge';
import { ReadNote, ReadsLostNote } from '../ui/unanswered/reads-note';
import { ExactName, WholeName } from '../ui/visible-text';
import { IncidentEvents } from './incident-events';
import {
  incidentFacts,
  incidentSentence,
  lacksOf,
  RELATION_LABELS,
  worstInstant,
} from './incident-labels';
import { incidentLanes } from './incident-timeline';
import { IncidentsPanel, useIncidents } from './incidents-panel';
import { HoldsPlot, RefusalsPlot, readingLabel, WaitsPlot } from './plots/incident-plots';
import { readingAt } from './plots/instant-reading';
import { LinkedPlots, type PlotMark } from './plots/linked-plots';

const POLL_MS = 5_000;

/** Whether it is open, or the time after it is not fully shown yet. */
const isGrowing = (detail: IncidentDetail | undefined) =>
  detail !== undefined && (detail.incident.endedAt === null || detail.timeline.to >= detail.asOf);

/** An incident: its cause, its length, who waited and who acted, and its events in order. */
export function IncidentView({
  initial,
  incidents: initialIncidents,
}: {
  initial: IncidentDetail;
  incidents: IncidentPage | null;
}) {
  const { id } = initial.incident;
  const incidents = useIncidents(initialIncidents);
  const trpc = useTRPC();
  const { data = initial, error } = useQuery(
    trpc.insights.incident.queryOptions(
      { id },
      {
        initialData: initial,
        refetchInterval: (query) => refetchEvery(isGrowing(query.state.data) && POLL_MS, query),
      },
    ),
  );
  const { incident } = data;
  const { namespace, name, backend } = incident;
  return (
    <div className="page insights-columns">
      <div className="flex min-w-0 flex-col gap-3.5">
        <nav aria-label="Breadcrumb" className="flex items-center gap-1.5 text-12">
          <NearLink href="/insights" className="rounded-4 text-t2 hover:text-t1">
            Insights
          </NearLink>
          <Icon name="chevron-right" size={13} className="text-t3" />
          <span className="text-t3">Incident {id}</span>
        </nav>
        <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <StatusBadge status={incident.status} />
          <h1 className="min-w-0 text-20 font-[550] text-balance">
            <Link href={lockPath(namespace, name)} prefetch={false} className="rounded-4">
              <WholeName name={name} />
            </Link>
          </h1>
          <p className="min-w-0 text-12 text-t3 [overflow-wrap:anywhere]">
            {namespace} · {backend}
          </p>
          <span className="ml-auto flex items-center gap-4">
            <Link
              href={pastHref(lockPath(namespace, name), worstInstant(incident))}
              prefetch={false}
              className="link rounded-4"
            >
              See the lock at that time
            </Link>
            <ExportButton detail={data} />
          </span>
        </header>
        <p className="text-14">{incidentSentence(incident)}</p>
        <ReadNote read={{ data, error }} what="the incident" className="" />
        <Facts detail={data} />
        <IncidentCharts detail={data} />
        <RelatedIncidents detail={data} />
        <Panel title="What happened" aside="without routine events">
          <IncidentEvents detail={data} />
        </Panel>
      </div>
      <IncidentsPanel incidents={incidents} chosen={id} className="self-start print:hidden" />
      <ReadsLostNote reads={[{ data, error }, incidents]} />
    </div>
  );
}

function RelatedIncidents({ detail: { related } }: { detail: IncidentDetail }) {
  if (related.length === 0) return null;
  return (
    <Panel title="Related incidents" aside="of other locks, at the same time">
      <ul>
        {related.map(({ relation, incident }) => (
          <li key={incident.id} className="flex flex-wrap items-center gap-x-3 px-3.5 py-2">
            <StatusBadge status={incident.status} />
            <Link href={`/insights/${incident.id}`} prefetch={false} className="link rounded-4">
              <ExactName name={incident.name} />
            </Link>
            <span className="text-t2">{RELATION_LABELS[relation]}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Facts({ detail }: { detail: IncidentDetail }) {
  const { incident, asOf } = detail;
  return (
    <dl className="incident-facts">
      {incidentFacts(detail).map(([term, value, more]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>
            {typeof value === 'string' ? (
              value
            ) : (
              <Instant at={value.at} now={asOf} clock={incident.backend} />
            )}
          </dd>
          {more && <dd className="incident-more">{more}</dd>}
        </div>
      ))}
    </dl>
  );
}

function IncidentCharts({ detail }: { detail: IncidentDetail }) {
  const { timeline, incident } = detail;
  const path = lockPath(incident.namespace, incident.name);
  const [zoom, setZoom] = useState<ZoomSpan | null>(null);
  const isHydrated = useIsHydrated();
  const span = zoom ?? { from: timeline.from, to: timeline.to };
  const lanes = incidentLanes(detail, span);
  const acts = timelineMarks(timeline);
  const [cursor, setCursor] = useState<number | null>(null);
  const reading = cursor === null ? null : readingAt(timeline, cursor);
  const plot = { detail, span, reading };
  const zoomTo = (next: ZoomSpan) => {
    setCursor(null);
    setZoom(next);
  };
  return (
    <Panel
      title="Timeline"
      aside={durationText(span.to - span.from)}
      end={
        zoom && (
          <Button size="small" onClick={() => setZoom(null)}>
            Reset zoom
          </Button>
        )
      }
    >
      {lacksOf(timeline).map((text) => (
        <p key={text} className="px-3.5 pt-2.5 text-12 text-t2">
          {text}
        </p>
      ))}
      {!isHydrated ? (
        <PlotSpace
          lanes={lanes}
          acts={acts}
          refused={timeline.refused}
          morePx={linkedPlotsPx(timeline)}
        />
      ) : (
        <>
          <LinkedPlots
            span={span}
            cursor={cursor}
            band={{ from: incident.beganAt, to: incident.endedAt ?? timeline.to }}
            marks={marksOf(detail, acts)}
            description={
              reading && cursor !== null
                ? readingLabel(reading, clockLabel(cursor, span.to))
                : 'none'
            }
            onCursor={setCursor}
            onZoom={zoomTo}
          >
            <WaitsPlot {...plot} />
            <HoldsPlot {...plot} />
            <RefusalsPlot {...plot} />
            <figure aria-label={`Timeline: ${timelineSummary(lanes, acts)}`}>
              <TimelinePlot
                lanes={lanes}
                acts={acts.filter(({ at }) => at >= span.from && at <= span.to)}
                refused={timeline.refused.filter(
                  ({ from, to }) => to >= span.from && from < span.to,
                )}
                span={span}
                now={timeline.to}
                path={path}
              />
            </figure>
          </LinkedPlots>
          <TimelineTable
            lanes={lanes}
            acts={acts}
            refused={timeline.refused}
            now={timeline.to}
            path={path}
          />
        </>
      )}
    </Panel>
  );
}

/** How high the plots above the timeline are, as the style sheet draws them. */
const linkedPlotsPx = ({ waits, holds, refused }: IncidentDetail['timeline']) =>
  26 + (waits[0] ? 104 : 0) + (holds[0] ? 72 : 0) + (refused[0] ? 72 : 0);

/** Its beginning and end, and the actions in between. */
function marksOf({ incident }: IncidentDetail, acts: readonly ActMark[]): PlotMark[] {
  const { beganAt, endedAt } = incident;
  return [
    { at: beganAt, label: `began ${clockLabel(beganAt, endedAt ?? beganAt)}`, kind: 'began' },
    ...(endedAt === null
      ? []
      : [{ at: endedAt, label: `ended ${clockLabel(endedAt, endedAt)}`, kind: 'ended' as const }]),
    ...acts.map((act) => ({ at: act.at, label: actLabel(act), kind: 'act' as const })),
  ];
}

/** Creates the file in the browser, from what the page shows. */
function ExportButton({ detail }: { detail: IncidentDetail }) {
  const [isLost, setLost] = useState(false);
  const save = async () => {
    try {
      const { incidentHtml } = await import('./incident-html');
      const html = incidentHtml(detail, window.location.href);
      const address = URL.createObjectURL(new Blob([html], { type: 'text/html' }));
      const link = document.createElement('a');
      link.href = address;
      link.download = `incident-${detail.incident.id}.html`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      setLost(false);
    } catch {
      setLost(true);
    }
  };
  return (
    <Button onClick={() => void save()} title={isLost ? 'The server did not respond.' : undefined}>
      <Icon name="download" size={15} />
      {isLost ? 'Export failed, retry' : 'Export HTML'}
    </Button>
  );
}
