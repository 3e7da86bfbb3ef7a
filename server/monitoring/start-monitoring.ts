import type { Database } from '@/db/database';
import type { ConfiguredWitness } from '../bootstrap/config/witness-urls';
import { DEFAULT_RETENTION, type Retention } from '../core/retention';
import type { NameCount } from '../engine/names/name-count';
import type { Clock } from '../platform/clock';
import type { Log } from '../platform/log';
import { Periodic, type ShouldContinue } from '../platform/periodic';
import { type AlertDelivery, Alerting } from './alerts/alerting';
import { EventHistory } from './history/event-history';
import { EventReaders } from './history/event-readers';
import { FormerStore } from './history/former-stores';
import { LockPast } from './history/lock-past';
import { pruneRefusals } from './history/prune-recorded';
import { EventRecorder } from './history/recorder/event-recorder';
import { SharedHistory } from './history/shared-history';
import { HeatRecorder } from './incidents/heat-recorder';
import { HeatTable } from './incidents/heat-table';
import { IncidentRecorder } from './incidents/incident-recorder';
import { IncidentTable } from './incidents/incident-table';
import { HolderEvidence } from './liveness/holder-evidence';
import { UrlWitnesses } from './liveness/url-witnesses';
import type { HeapWatch } from './maintenance/heap-watch';
import { Maintenance } from './maintenance/maintenance';
import { EventTally } from './metrics/event-tally';
import type { Monitoring } from './monitoring';
import { monitoringJobs } from './monitoring-jobs';
import { monitoringMetrics } from './monitoring-metrics';
import { NameDeletion } from './names/name-deletion';
import { NamespaceCapacity } from './names/namespace-capacity';
import { PastView } from './past/past-view';
import { EarlierTimeouts } from './projection/earlier-timeouts';
import { LockProjection } from './projection/lock-projection';
import {
  type MonitoredBackend,
  type NamespaceLookup,
  publicHealths,
  publicId,
} from './projection/monitored-backend';
import type { ProjectionRow } from './projection/projection-row';
import { KnownRefusals } from './refusals/known-refusals';
import { RefusalCounter } from './refusals/refusal-counter';
import { RefusalSync } from './refusals/refusal-sync';
import { CounterHistory } from './rollups/counter-history';
import { FleetView } from './rollups/fleet-view';
import { HoldBaselines } from './rollups/hold-baselines';
import { LatencyCourses } from './rollups/latency-courses';
import { LockInsights } from './rollups/lock-insights';
import { OverviewView } from './rollups/overview-view';
import { DeadlockHistory } from './waits/deadlock-history';
import { HolderView } from './waits/holder-view';
import { WaitWatch } from './waits/wait-watch';

const BASELINES_EVERY_MS = 60_000;

export interface MonitoringOptions extends AlertDelivery {
  backends: MonitoredBackend[];
  /** Stores that are no longer in use. The rest of their history is recorded and retained. */
  leaving?: LeavingStore[];
  database: Database;
  clock: Clock;
  log: Log;
  processId: string;
  namespaces: NamespaceLookup & { all(): Iterable<{ name: string; backend: string }> };
  /** How many names each namespace has, as counted by the projection. */
  names: NameCount;
  heap: Pick<HeapWatch, 'isShort'>;
  /** Closes audit intents whose outcome was never written. */
  resolveIntents: () => Promise<void>;
  /** Removes old audit entries; absent: none is ever removed. */
  pruneAudit?: (shouldContinue: ShouldContinue) => Promise<void>;
  /** URLs that answer whether a holder's process is alive. */
  witnesses?: readonly ConfiguredWitness[];
  /** Absent: the default. */
  retention?: Retention;
}

/** A shard that is being emptied, or a store that is no longer in use. */
export interface LeavingStore extends Pick<MonitoredBackend, 'id'> {
  /** Null if no configuration names it any more. */
  store: MonitoredBackend['store'] | null;
  /** The backend's id, as users know it. */
  backend: string;
}

/** Starts the projection of all locks, its metrics, and maintenance where this process runs it. */
export function startMonitoring(parts: MonitoringOptions): Monitoring {
  const { leaving = [], database, clock, log, processId } = parts;
  const backends = parts.backends.map((backend) => ({
    ...backend,
    history: backend.history ?? new SharedHistory(backend.store, clock),
  }));
  const { namespaces, names, heap, resolveIntents, witnesses = [] } = parts;
  const { retention = DEFAULT_RETENTION, pruneAudit = async () => undefined } = parts;
  const { historyMs } = retention;
  const publicIds = [
    ...backends.map((backend) => ({ id: backend.id, publicId: publicId(backend) })),
    ...leaving.map(({ id, backend }) => ({ id, publicId: backend })),
  ];
  const ids = publicIds.map(({ id }) => id);
  const baselines = new HoldBaselines(database, publicIds, clock);
  const knownRefusals = new KnownRefusals();
  const evidence = new HolderEvidence(database, backends, clock);
  const shared = { backends, clock, log, namespaces, names };
  const projection = new LockProjection({
    ...shared,
    holdBaselines: baselines,
    refusals: knownRefusals,
    evidence,
    processId,
  });
  const storeIdsOf = (backend: string) =>
    publicIds.flatMap(({ id, publicId }) => (publicId === backend ? [id] : []));
  const readers = new EventReaders(database, clock);
  const allIds = [...new Set(publicIds.map(({ publicId }) => publicId))];
  const insights = new LockInsights(database, storeIdsOf, allIds, readers.note, backends);
  const refusals = new RefusalCounter();
  const refusalSync = new RefusalSync({
    database,
    processId,
    counter: refusals,
    known: knownRefusals,
    onChange: (id) => projection.table.recheck(id),
    slice: () => projection.table.slice(),
  });
  const tallies = publicIds.map((each) => ({ ...each, tally: new EventTally() }));
  const followed = backends.map((backend) => ({ ...backend, history: backend.history.forTail() }));
  const leftBehind = leaving.map(({ id, store }) => ({ id, history: store, store }));
  const recorders = [...followed, ...leftBehind].map(({ history, ...backend }) => {
    const tally = tallies.find(({ id }) => id === backend.id)?.tally ?? new EventTally();
    return history
      ? new EventRecorder(database, { ...backend, history }, clock, tally, retention, readers)
      : new FormerStore(database, backend.id, clock, retention);
  });
  const incidents = new IncidentRecorder({
    database,
    table: projection.table,
    isRead: (backend) => projection.isRead(backend),
    isFresh: (backend) => projection.stores.isFresh(backend),
    backends,
    past: new LockPast(database),
    clock,
    historyMs,
  });
  const heat = new HeatTable(database);
  const capacity = new NamespaceCapacity({ ...shared, projection, database });
  const alerts = new Alerting({ ...parts, projection, historyMs });
  const maintenance = new Maintenance({
    backends,
    projection,
    recorders,
    incidents,
    heat: new HeatRecorder(projection.table, heat, clock, historyMs),
    alerts,
    capacity,
    clock,
    log,
    processId,
    resolveIntents,
    pruneAudit,
    witnesses: new UrlWitnesses(witnesses, evidence),
    async pruneEvidence() {
      const isKnown = backends.every((backend) => projection.isRead(publicId(backend)));
      if (isKnown) await evidence.prune();
    },
  }).start();
  const { table } = projection;
  const statusOf = ({ key }: ProjectionRow) =>
    projection.row(key.namespace, key.name)?.status ?? 'unknown';
  const blockedBy = projection.blockedBy.bind(projection);
  const states = projection.stores.states(backends);
  const waits = new WaitWatch({ table, backends: states, clock, statusOf, blockedBy });
  const deadlocks = new DeadlockHistory({
    database,
    clock,
    log,
    watch: waits,
    isRunner: () => maintenance.isRunner,
    historyMs,
  });
  const metrics = monitoringMetrics({
    ...shared,
    projection,
    tallies,
    refusals,
    heap,
    maintenance,
    waits,
    deadlocks,
    evidence,
    alerts,
  });
  let isClosing = false;
  const fleet = new FleetView(ids, projection, insights, clock);
  const latencies = new LatencyCourses(() => publicHealths(backends), clock);
  const timeouts = new EarlierTimeouts(database, backends, projection, clock);
  const readBaselines = new Periodic({
    job: 'read hold baselines',
    everyMs: BASELINES_EVERY_MS,
    run: () => baselines.refresh(),
    log,
  });
  const jobs = monitoringJobs({
    backends,
    projection,
    refusalSync,
    capacity,
    waits,
    deadlocks,
    evidence,
    timeouts,
    fleet,
    latencies,
    log,
    pruneRefusals: () => pruneRefusals(database, clock, retention, () => !isClosing),
  });
  for (const job of jobs) job.start();
  void readBaselines.startNow();
  return {
    projection,
    evidence,
    events: new EventHistory(database, readers.note),
    past: new LockPast(database, readers.note),
    incidents: new IncidentTable(database),
    pastView: new PastView({
      database,
      table,
      counters: projection.counters,
      backends,
      publicIds: new Map(publicIds.map(({ id, publicId }) => [id, publicId])),
      namespaces,
      holdBaselines: baselines,
      incidents: new IncidentTable(database),
      clock,
      historyMs,
      onRead: readers.note,
    }),
    overview: new OverviewView(ids, insights, heat, clock),
    insights,
    counterHistory: new CounterHistory(
      database,
      projection.counters,
      storeIdsOf,
      () => publicHealths(backends),
      clock,
    ),
    fleet,
    latencies,
    metrics,
    runsMaintenance: () => maintenance.isRunner,
    historyLags: () => maintenance.historyLags(),
    nameDeletion: new NameDeletion(backends, projection, clock),
    refusals,
    waits,
    deadlocks,
    holders: new HolderView({
      table,
      backends: states,
      clock,
      waits,
      evidence,
      lockDelayMsOf: (namespace) => namespaces.policyOf(namespace).lockDelayMs,
      statusOf,
    }),
    async close() {
      isClosing = true;
      await projection.close();
      await Promise.all([...jobs, readBaselines].map((each) => each.stop()));
      // Refused attempts that are not written yet would be lost.
      await refusalSync.flush().catch(() => undefined);
      await maintenance.stop();
    },
  };
}
