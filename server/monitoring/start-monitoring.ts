import { MINUTE_MS } from '../core/time-units';
import { Periodic } from '../platform/periodic';
import { pruneRefusals } from './history/prune-recorded';
import type { Monitoring } from './monitoring';
import { monitoringContext } from './monitoring-context';
import { monitoringJobs } from './monitoring-jobs';
import { monitoringMetrics } from './monitoring-metrics';
import type { MonitoringOptions } from './monitoring-options';
import { NameDeletion } from './names/name-deletion';
import { openHistoryViews } from './open-history-views';
import { openLiveView } from './open-live-view';
import { openWaitViews } from './open-wait-views';
import { EarlierTimeouts } from './projection/earlier-timeouts';
import { startMaintenance } from './start-maintenance';

const BASELINES_EVERY_MS = MINUTE_MS;

/** Starts the projection of all locks, its metrics, and maintenance where this process runs it. */
export function startMonitoring(options: MonitoringOptions): Monitoring {
  const context = monitoringContext(options);
  const { backends, database, clock, log, retention } = context;
  const live = openLiveView(context);
  const { projection, evidence, holdBaselines, refusals, refusalSync } = live;
  const maintaining = startMaintenance(options, context, live);
  const { maintenance } = maintaining;
  const waitViews = openWaitViews(context, live, () => maintenance.isRunner);
  const historyViews = openHistoryViews(context, live);
  const parts = { ...context, ...live, ...maintaining, ...waitViews, ...historyViews };
  const metrics = monitoringMetrics({ ...parts, heap: options.heap });
  let isClosing = false;
  const jobs = monitoringJobs({
    ...parts,
    timeouts: new EarlierTimeouts(database, backends, projection, clock),
    pruneRefusals: () => pruneRefusals(database, clock, retention, () => !isClosing),
  });
  const readBaselines = new Periodic({
    job: 'read hold baselines',
    everyMs: BASELINES_EVERY_MS,
    run: () => holdBaselines.refresh(),
    log,
  });
  for (const job of jobs) job.start();
  void readBaselines.startNow();
  return {
    projection,
    evidence,
    refusals,
    ...waitViews,
    ...historyViews,
    metrics,
    runsMaintenance: () => maintenance.isRunner,
    historyLags: () => maintenance.historyLags(),
    nameDeletion: new NameDeletion(backends, projection, clock),
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
