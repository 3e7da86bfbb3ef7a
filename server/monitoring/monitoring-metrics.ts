import type { NameCount } from '../engine/names/name-count';
import type { Clock } from '../platform/clock';
import type { Alerting } from './alerts/alerting';
import { evidenceMetrics } from './liveness/evidence-metrics';
import type { HolderEvidence } from './liveness/holder-evidence';
import type { HeapWatch } from './maintenance/heap-watch';
import type { Maintenance } from './maintenance/maintenance';
import { backendMetrics } from './metrics/backend-metrics';
import { eventMetrics } from './metrics/event-metrics';
import type { EventTally } from './metrics/event-tally';
import { liveListMetrics } from './metrics/live-list-metrics';
import { lockMetrics } from './metrics/lock-metrics';
import { Metrics } from './metrics/metrics';
import { nameMetrics } from './metrics/name-metrics';
import { NamespaceLabels } from './metrics/namespace-labels';
import { waitMetrics } from './metrics/wait-metrics';
import type { KnownNamespaces } from './monitoring-options';
import type { LockProjection } from './projection/lock-projection';
import { type MonitoredBackend, publicHealths } from './projection/monitored-backend';
import type { RefusalCounter } from './refusals/refusal-counter';
import { refusalMetrics } from './refusals/refusal-metrics';
import type { DeadlockHistory } from './waits/deadlock-history';
import type { WaitWatch } from './waits/wait-watch';
import { watchMetrics } from './watch/watch-metrics';

interface Parts {
  projection: LockProjection;
  /** The events of each store that this process has recorded. */
  tallies: Iterable<{ publicId: string; tally: EventTally }>;
  refusals: RefusalCounter;
  names: NameCount;
  namespaces: Pick<KnownNamespaces, 'policyOf' | 'all'>;
  heap: Pick<HeapWatch, 'isShort'>;
  backends: MonitoredBackend[];
  maintenance: Pick<Maintenance, 'isRunner'>;
  waits: WaitWatch;
  deadlocks: DeadlockHistory;
  evidence: HolderEvidence;
  alerts: Alerting;
  clock: Clock;
}

/** The metrics of locks and of what this process knows about them, read at each scrape. */
export function monitoringMetrics(parts: Parts): Metrics {
  const { projection, tallies, refusals, names, namespaces, heap, backends } = parts;
  const { maintenance, waits, deadlocks, evidence, alerts, clock } = parts;
  const { columns } = projection.table;
  const labels = new NamespaceLabels();
  const metrics = new Metrics();
  metrics.add(async () => {
    const groups = await projection.groups();
    const used = [...namespaces.all()].filter(({ name }) => names.total(name) > 0);
    labels.nameOldest(used.map(({ name }) => name));
    return [
      ...lockMetrics(groups, labels, clock.now() - columns.blockedOrigin),
      ...eventMetrics(tallies, labels, groups),
      ...refusalMetrics(refusals.totals(), labels, groups),
      ...nameMetrics(names, namespaces, labels, heap.isShort()),
      ...backendMetrics(publicHealths(backends), maintenance.isRunner),
      ...liveListMetrics(projection.live),
      ...watchMetrics(projection.watches),
      ...waitMetrics(waits, deadlocks),
      ...evidenceMetrics(evidence),
      ...alerts.metrics(),
    ];
  });
  return metrics;
}
