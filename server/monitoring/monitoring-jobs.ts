import type { Log } from '../platform/log';
import { Periodic } from '../platform/periodic';
import type { HolderEvidence } from './liveness/holder-evidence';
import type { NamespaceCapacity } from './names/namespace-capacity';
import type { EarlierTimeouts } from './projection/earlier-timeouts';
import type { LockProjection } from './projection/lock-projection';
import type { MonitoredBackend } from './projection/monitored-backend';
import type { RefusalSync } from './refusals/refusal-sync';
import { type FleetView, SAMPLE_EVERY_MS } from './rollups/fleet-view';
import { LATENCY_SAMPLE_EVERY_MS, type LatencyCourses } from './rollups/latency-courses';
import type { DeadlockHistory } from './waits/deadlock-history';
import type { WaitWatch } from './waits/wait-watch';

const REFRESH_EVERY_MS = 500;
const REFUSALS_EVERY_MS = 2_000;
const PRUNE_EVERY_MS = 10 * 60_000;
const RECOUNT_EVERY_MS = 5_000;
const EVIDENCE_EVERY_MS = 1_000;
const TIMEOUTS_EVERY_MS = 5_000;

interface Parts {
  backends: readonly MonitoredBackend[];
  projection: LockProjection;
  refusalSync: RefusalSync;
  /** Removes refused attempts that are too old. */
  pruneRefusals: () => Promise<void>;
  capacity: NamespaceCapacity;
  waits: WaitWatch;
  deadlocks: DeadlockHistory;
  evidence: HolderEvidence;
  timeouts: EarlierTimeouts;
  fleet: FleetView;
  latencies: LatencyCourses;
  log: Log;
}

/** The jobs that every process runs; those of maintenance run in one process only. */
export function monitoringJobs(parts: Parts): Periodic[] {
  const { backends, projection, refusalSync, capacity, waits, deadlocks, evidence } = parts;
  const { timeouts, fleet, latencies, log } = parts;
  const job = (name: string, everyMs: number | (() => number), run: () => Promise<unknown>) =>
    new Periodic({ job: name, everyMs, run, log });
  return [
    ...backends.flatMap((backend) => [
      job(`follow ${backend.id}`, projection.followPause(backend), () =>
        projection.follow(backend),
      ),
      job(
        `read all of ${backend.id}`,
        () => projection.resyncPauseMs(backend),
        () => projection.resync(backend),
      ),
    ]),
    job('compute lock statuses', REFRESH_EVERY_MS, () => projection.table.refresh()),
    job('bring refused attempts together', REFUSALS_EVERY_MS, () => refusalSync.run()),
    job('remove old refused attempts', PRUNE_EVERY_MS, parts.pruneRefusals),
    job('recount full namespaces', RECOUNT_EVERY_MS, () => capacity.recount()),
    job(
      'look for deadlocks',
      () => waits.pauseMs,
      () => deadlocks.run(),
    ),
    job('read evidence of holders', EVIDENCE_EVERY_MS, () => evidence.refresh()),
    job('read earlier timeouts', TIMEOUTS_EVERY_MS, () => timeouts.run()),
    job('sample the figures', SAMPLE_EVERY_MS, () => fleet.sample()),
    job('sample response times', LATENCY_SAMPLE_EVERY_MS, async () => latencies.sample()),
  ];
}
