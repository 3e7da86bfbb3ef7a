import type { Database } from '@/db/database';
import type { NamespacePolicy } from '../contract/namespace-policy';
import type { NameCount } from '../engine/names/name-count';
import type { Clock } from '../platform/clock';
import type { Log } from '../platform/log';
import { Periodic } from '../platform/periodic';
import { EventHistory } from './history/event-history';
import { EventRecorder } from './history/event-recorder';
import { FormerShard } from './history/former-shards';
import { Maintenance } from './maintenance/maintenance';
import { backendMetrics } from './metrics/backend-metrics';
import { eventMetrics } from './metrics/event-metrics';
import { EventTally } from './metrics/event-tally';
import { liveMetrics } from './metrics/live-metrics';
import { lockMetrics } from './metrics/lock-metrics';
import { Metrics } from './metrics/metrics';
import { nameMetrics } from './metrics/name-metrics';
import { NamespaceLabels } from './metrics/namespace-labels';
import { NameDeletion } from './names/name-deletion';
import { NamespaceCapacity } from './names/namespace-capacity';
import { setLegacyNameLimits } from './names/set-legacy-name-limits';
import { LockProjection } from './projection/lock-projection';
import type { MonitoredBackend } from './projection/monitored-backend';
import { publicHealths, publicId } from './projection/monitored-backend';
import { FleetView } from './rollups/fleet-view';
import { HoldBaselines } from './rollups/hold-baselines';
import { LockInsights } from './rollups/lock-insights';

const FOLLOW_EVERY_MS = 150;
const REFRESH_EVERY_MS = 500;
const MAINTENANCE_EVERY_MS = 300;
const RESYNC_EVERY_MS = 10 * 60_000;
const BASELINES_EVERY_MS = 60_000;
const RECOUNT_EVERY_MS = 5_000;

export interface MonitoringOptions {
  backends: MonitoredBackend[];
  /** Shards that keep nothing any more: what they tell of the past is recorded to its end. */
  leaving?: LeavingShard[];
  database: Database;
  clock: Clock;
  log: Log;
  processId: string;
  /** Which backend a namespace lives on; null if there is no such namespace. */
  backendOf: (namespace: string) => Promise<string | null>;
  /** What a namespace allows, as last read. */
  policyOf: (namespace: string) => NamespacePolicy;
  /** How many names each namespace has; the board counts them. */
  names: NameCount;
  /** Whether this process refuses new names for lack of memory. */
  isShortOfMemory: () => boolean;
  /** Closes audit intents whose outcome was never written. */
  resolveIntents: () => Promise<void>;
}

export interface Monitoring {
  projection: LockProjection;
  events: EventHistory;
  insights: LockInsights;
  fleet: FleetView;
  metrics: Metrics;
  /** Whether this process does what one does for all, as far as it knows. */
  runsMaintenance: () => boolean;
  nameDeletion: NameDeletion;
  close(): Promise<void>;
}

/** A shard that is to keep nothing, or was emptied. */
export interface LeavingShard extends Pick<MonitoredBackend, 'id'> {
  /** Null where it is named nowhere any more. */
  store: MonitoredBackend['store'] | null;
  /** The backend's id, as people and programs know it. */
  backend: string;
}

/**
 * Starts what watches the locks: one tail a backend, the board, and the chores where this process
 * has them.
 */
export function startMonitoring(parts: MonitoringOptions): Monitoring {
  const { backends, leaving = [], database, clock, log, processId } = parts;
  const { backendOf, policyOf, names, isShortOfMemory, resolveIntents } = parts;
  const publicIds = [
    ...backends.map((backend) => ({ id: backend.id, publicId: publicId(backend) })),
    ...leaving.map(({ id, backend }) => ({ id, publicId: backend })),
  ];
  const ids = publicIds.map(({ id }) => id);
  const baselines = new HoldBaselines(database, publicIds, clock);
  const baselineOf = (id: string) => baselines.of(id);
  const projection = new LockProjection({
    backends,
    clock,
    log,
    backendOf,
    policyOf,
    baselineOf,
    names,
    processId,
  });
  const insights = new LockInsights(database, (backend) =>
    publicIds.flatMap(({ id, publicId }) => (publicId === backend ? [id] : [])),
  );
  const tallies = new Map(ids.map((id) => [id, new EventTally()]));
  const recorders = [...backends, ...leaving].map(({ id, store }) => {
    const tally = tallies.get(id) ?? new EventTally();
    return store
      ? new EventRecorder(database, { id, store }, clock, tally)
      : new FormerShard(database, id, clock);
  });
  const capacity = new NamespaceCapacity({
    backends,
    projection,
    names,
    clock,
    log,
    policyOf,
    backendOf,
  });
  const maintenance = new Maintenance({
    backends,
    projection,
    recorders,
    clock,
    log,
    processId,
    resolveIntents,
    freeCapacity: () => capacity.run(),
    setLegacyNameLimits: () =>
      setLegacyNameLimits(database, names, (backend) => projection.isRead(backend)),
  });
  const metrics = new Metrics();
  const labels = new NamespaceLabels();
  metrics.add(async () => [
    ...lockMetrics(await projection.groups(), labels),
    ...eventMetrics(
      publicIds.flatMap(({ id, publicId }): [string, EventTally][] => {
        const tally = tallies.get(id);
        return tally ? [[publicId, tally]] : [];
      }),
      labels,
    ),
    ...nameMetrics(names, policyOf, labels, isShortOfMemory()),
    ...backendMetrics(publicHealths(backends), maintenance.isRunner),
    ...liveMetrics(projection.live),
  ]);
  const job = (name: string, everyMs: number, run: () => Promise<unknown>) =>
    new Periodic({ job: name, everyMs, run, log });
  const readBaselines = job('read hold baselines', BASELINES_EVERY_MS, () => baselines.refresh());
  const jobs = [
    ...backends.flatMap((backend) => [
      job(`follow ${backend.id}`, FOLLOW_EVERY_MS, () => projection.follow(backend)),
      job(`read all of ${backend.id}`, RESYNC_EVERY_MS, () => projection.resync(backend)),
    ]),
    job('compute lock statuses', REFRESH_EVERY_MS, () => projection.refresh()),
    job('recount full namespaces', RECOUNT_EVERY_MS, () => capacity.recount()),
    job('maintenance', MAINTENANCE_EVERY_MS, () => maintenance.run()),
  ].map((each) => each.start());
  void readBaselines.startNow();
  return {
    projection,
    events: new EventHistory(database),
    insights,
    fleet: new FleetView(ids, projection, insights, clock),
    metrics,
    runsMaintenance: () => maintenance.isRunner,
    nameDeletion: new NameDeletion({ backends, projection, clock }),
    async close() {
      projection.live.close();
      await Promise.all([...jobs, readBaselines].map((each) => each.stop()));
      await maintenance.stop();
    },
  };
}
