import type { CounterRow } from '../contract/console/counter-row';
import { EventHistory } from './history/event-history';
import { LockPast } from './history/lock-past';
import { HeatTable } from './incidents/heat-table';
import { IncidentTable } from './incidents/incident-table';
import type { Monitoring } from './monitoring';
import type { MonitoringContext } from './monitoring-context';
import type { LiveView } from './open-live-view';
import { PastView } from './past/past-view';
import { publicHealths } from './projection/monitored-backend';
import { CounterHistory } from './rollups/counter-history';
import { FleetView } from './rollups/fleet-view';
import { LatencyCourses } from './rollups/latency-courses';
import { LockInsights } from './rollups/lock-insights';
import { OverviewView } from './rollups/overview-view';

/** What happened: single events, the state of an earlier instant, and figures over time. */
type HistoryViews = Pick<
  Monitoring,
  | 'events'
  | 'past'
  | 'incidents'
  | 'pastView'
  | 'overview'
  | 'insights'
  | 'counterHistory'
  | 'fleet'
  | 'latencies'
>;

export function openHistoryViews(context: MonitoringContext, live: LiveView): HistoryViews {
  const { backends, stores, database, clock, readers } = context;
  const { projection } = live;
  const ids = stores.map(({ id }) => id);
  const publicIds = [...new Set(stores.map(({ publicId }) => publicId))];
  const storeIdsOf = (backend: string) =>
    stores.flatMap(({ id, publicId }) => (publicId === backend ? [id] : []));
  const healths = () => publicHealths(backends);
  const offsetOf = ({ backend, namespace, name }: CounterRow) =>
    projection.clockOffsetMs(backend, { namespace, name, kind: 'counter' });
  const insights = new LockInsights(database, storeIdsOf, publicIds, readers.note, backends);
  return {
    events: new EventHistory(database, readers.note),
    past: new LockPast(database, readers.note),
    incidents: new IncidentTable(database),
    pastView: openPastView(context, live),
    overview: new OverviewView(ids, insights, new HeatTable(database), clock),
    insights,
    counterHistory: new CounterHistory(database, projection.counters, storeIdsOf, offsetOf, clock),
    fleet: new FleetView(ids, projection, insights, clock),
    latencies: new LatencyCourses(healths, clock),
  };
}

function openPastView(
  context: MonitoringContext,
  { projection, holdBaselines }: LiveView,
): PastView {
  const { stores, database, readers, retention } = context;
  return new PastView({
    ...context,
    table: projection.table,
    counters: projection.counters,
    publicIds: new Map(stores.map(({ id, publicId }) => [id, publicId])),
    holdBaselines,
    incidents: new IncidentTable(database),
    historyMs: retention.historyMs,
    onRead: readers.note,
  });
}
