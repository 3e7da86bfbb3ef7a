import { randomBytes } from 'node:crypto';
import { NameCapacity } from '../engine/names/name-capacity';
import { NameCount } from '../engine/names/name-count';
import { policiesInForce } from '../engine/names/policies-in-force';
import { newWriter } from '../engine/new-writer';
import { HeapWatch } from '../monitoring/maintenance/heap-watch';
import { gateMetrics } from '../monitoring/metrics/gate-metrics';
import { guaranteeMetrics } from '../monitoring/metrics/guarantee-metrics';
import { jobMetrics } from '../monitoring/metrics/job-metrics';
import type { Monitoring } from '../monitoring/monitoring';
import type { MonitoringOptions } from '../monitoring/monitoring-options';
import { LockPresence } from '../monitoring/presence/lock-presence';
import { startMonitoring } from '../monitoring/start-monitoring';
import { apiKeyMetrics } from '../operations/api-keys/api-key-metrics';
import { pruneAudit } from '../operations/audit/prune-audit';
import { resolveAuditIntents } from '../operations/audit/resolve-audit-intents';
import { CallerLimits } from '../operations/caller-limits';
import { CancelledRequests } from '../operations/locks/for-services/cancelled-requests';
import type { ControlRuntime, Runtime } from '../operations/operation-context';
import { startReleasingOrphans } from '../operations/witnesses/release-orphans';
import type { Clock } from '../platform/clock';
import { jobReports } from '../platform/job-reports';
import type { Log } from '../platform/log';
import { ownOrigin } from '../platform/own-origin';
import { type StartedBackends, startBackends } from './backends/start-backends';
import type { Config } from './config/config';
import { seedDemo } from './demo/seed-demo';
import { openControlRuntime } from './open-control-runtime';
import { openGates } from './open-gates';
import { openLab } from './open-lab';
import { closeInTurn } from './shutdown/close-in-turn';
import { watchClocks } from './watch-clocks';

/**
 * How long all parts of a process together may take to close: one after another, each would wait up
 * to 5 s for a database that does not respond.
 */
const CLOSE_MAX_MS = 8_000;

/**
 * Builds and starts all parts of one process, from the data folder up. The control database must be
 * reachable; other backends may be down and are retried.
 *
 * Errors: `StartError` with one line for the operator. In that case nothing is left open.
 */
export async function createRuntime(
  config: Config,
  log: Log,
  clock: Clock,
  heap = new HeapWatch(clock),
): Promise<Runtime> {
  const control = await openControlRuntime(config, log, clock);
  const ends = [control.close];
  const close = () =>
    closeInTurn(ends.splice(0), CLOSE_MAX_MS, (err) =>
      log.warn({ err }, 'A component did not close cleanly'),
    );
  try {
    const runtime = { ...control, ...(await addBackends(control, heap, ends)), close };
    ends.push(startReleasingOrphans(runtime, runtime.runsMaintenance));
    return runtime;
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * @param heap determines when no new names may be created
 * @param ends functions that close what has been opened so far, in the order of opening
 */
async function addBackends(
  control: ControlRuntime,
  heap: HeapWatch,
  ends: (() => Promise<void>)[],
): Promise<Omit<Runtime, keyof ControlRuntime | 'close'>> {
  const { config, database, clock, log, namespaces } = control;
  const startedAt = clock.monotonic();
  await namespaces.refresh();
  const following = namespaces.follow(log);
  ends.push(() => following.stop());
  const processId = newProcessId();
  const clocks = watchClocks(control);
  const gates = openGates(control, processId);
  const nameCount = new NameCount(() => clock.monotonic());
  const policiesOf = policiesInForce(new NameCapacity(nameCount, () => heap.isShort()));
  const { onBackendStep } = clocks;
  const parts = { processId, newWriter, names: nameCount, policiesOf, onBackendStep };
  const backends = await startBackends(control, parts, gates, ends);
  const own = { processId, names: nameCount, heap };
  const { close: stopMonitoring, ...monitoring } = await monitor(control, backends, own);
  const { metrics, runsMaintenance, historyLags } = monitoring;
  ends.push(() => stopMonitoring());
  ends.push(clocks.start(runsMaintenance));
  ends.push(async () => gates.close());
  const limits = new CallerLimits(config.limits, clock);
  const { engines, guarantees } = backends;
  metrics.add(() => guaranteeMetrics([...guarantees.values()].map((each) => each.row())));
  metrics.add(() => gateMetrics(gates));
  metrics.add(() => limits.metrics());
  metrics.add(() => apiKeyMetrics(database, clock.now()));
  metrics.add(() => jobMetrics(jobReports(clock.monotonic()), historyLags()));
  const lab = openLab(control);
  await lab.endFormerRuns();
  ends.push(() => lab.close());
  const cancelledRequests = new CancelledRequests(clock);
  const presence = new LockPresence(database, clock, monitoring.projection);
  const ours = { presence, nameCount, limits, cancelledRequests, lab, processId, startedAt };
  return { engines, gates, guarantees, ...monitoring, ...ours };
}

/** Starts to monitor the backends. The demo begins with an hour of figures. */
async function monitor(
  control: ControlRuntime,
  { engines, stores, leaving }: StartedBackends,
  own: Pick<MonitoringOptions, 'processId' | 'names' | 'heap'>,
): Promise<Monitoring> {
  const { config, database, clock, log, namespaces } = control;
  const [home] = stores;
  const past = config.demo && home ? await seedDemo(control, home.store, home.epochOf()) : [];
  const monitoring = startMonitoring({
    ...own,
    backends: stores,
    leaving,
    database,
    clock,
    log,
    namespaces,
    witnesses: config.witnesses,
    receivers: config.receivers,
    retention: config.retention,
    origin: config.publicUrl ?? ownOrigin(config),
    resolveIntents: async () => {
      await resolveAuditIntents({ database, clock, log, engines, namespaces });
    },
    pruneAudit: (shouldContinue) => pruneAudit({ config, database, clock }, shouldContinue),
  });
  monitoring.fleet.remember(past);
  return monitoring;
}

/** Unlike other random values here, this must never repeat: it distinguishes holds and waiters. */
function newProcessId(): string {
  return randomBytes(6).toString('hex');
}
