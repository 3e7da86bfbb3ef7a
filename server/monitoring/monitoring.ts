import type { EventHistory } from './history/event-history';
import type { LockPast } from './history/lock-past';
import type { IncidentTable } from './incidents/incident-table';
import type { HolderEvidence } from './liveness/holder-evidence';
import type { HistoryLag } from './maintenance/maintenance';
import type { Metrics } from './metrics/metrics';
import type { NameDeletion } from './names/name-deletion';
import type { PastView } from './past/past-view';
import type { LockProjection } from './projection/lock-projection';
import type { RefusalCounter } from './refusals/refusal-counter';
import type { CounterHistory } from './rollups/counter-history';
import type { FleetView } from './rollups/fleet-view';
import type { LatencyCourses } from './rollups/latency-courses';
import type { LockInsights } from './rollups/lock-insights';
import type { OverviewView } from './rollups/overview-view';
import type { DeadlockHistory } from './waits/deadlock-history';
import type { HolderView } from './waits/holder-view';
import type { WaitWatch } from './waits/wait-watch';

/** The projection of all locks in one process, the views on it, and the recorded history. */
export interface Monitoring {
  projection: LockProjection;
  evidence: HolderEvidence;
  events: EventHistory;
  past: LockPast;
  incidents: IncidentTable;
  overview: OverviewView;
  pastView: PastView;
  insights: LockInsights;
  counterHistory: CounterHistory;
  fleet: FleetView;
  latencies: LatencyCourses;
  metrics: Metrics;
  /** Whether this process runs maintenance, as far as it knows. */
  runsMaintenance: () => boolean;
  /** How far the recorded history lags, by store; empty where another process records it. */
  historyLags: () => HistoryLag[];
  nameDeletion: NameDeletion;
  /** Counts attempts to acquire a lock that this process refuses. */
  refusals: RefusalCounter;
  waits: WaitWatch;
  deadlocks: DeadlockHistory;
  holders: HolderView;
  close(): Promise<void>;
}
