import { randomBytes } from 'node:crypto';
import type { Database } from '@/db/database';
import type { BackendUrl } from '@/db/urls/backend-url';
import { StartError } from '@/server/platform/start-error';
import { createEngine } from '../engine/create-engine';
import type { LockEngine } from '../engine/lock-engine';
import { NameCapacity } from '../engine/names/name-capacity';
import { NameCount } from '../engine/names/name-count';
import { policiesInForce } from '../engine/names/policies-in-force';
import { newWriter } from '../engine/new-writer';
import { formerStores } from '../monitoring/history/former-stores';
import { SharedHistory } from '../monitoring/history/shared-history';
import { GuaranteeWatch } from '../monitoring/maintenance/guarantee-watch';
import { HeapWatch } from '../monitoring/maintenance/heap-watch';
import { gateMetrics } from '../monitoring/metrics/gate-metrics';
import { guaranteeMetrics } from '../monitoring/metrics/guarantee-metrics';
import { jobMetrics } from '../monitoring/metrics/job-metrics';
import type { Monitoring } from '../monitoring/monitoring';
import type { LeavingStore } from '../monitoring/monitoring-options';
import { LockPresence } from '../monitoring/presence/lock-presence';
import type { MonitoredBackend } from '../monitoring/projection/monitored-backend';
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
import { type BackendPast, backendPast } from '../storage/incarnation/backend-past';
import { adoptOwnEpoch } from '../storage/incarnation/own-epoch';
import { StoreIncarnation } from '../storage/incarnation/store-incarnation';
import { LazyStore } from '../storage/lazy-store';
import { openBackend, openStore } from '../storage/open-store';
import type { HistorySource, RecordStore } from '../storage/record-store';
import { recordedPosition } from '../storage/recorded-position';
import { RedisStore } from '../storage/redis/redis-store';
import { openZookeeperStore } from '../storage/zookeeper/zookeeper-store';
import type { Config } from './config/config';
import { ownOrigin } from './config/own-origin';
import { seedDemo } from './demo/seed-demo';
import { DuplicateStores, refuseDuplicateShards } from './duplicate-stores';
import { logFault } from './log-fault';
import { openControlRuntime } from './open-control-runtime';
import { openGates } from './open-gates';
import { openLab } from './open-lab';
import { closeInTurn } from './shutdown/close-in-turn';
import { type SharedParts, startShardedBackend } from './start-sharded-backend';
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
): Promise<Omit<Runtime, keyof ControlRuntime | 'close'> & Pick<Monitoring, 'runsMaintenance'>> {
  const { config, database, clock, log, namespaces } = control;
  await namespaces.refresh();
  const following = namespaces.follow(log);
  ends.push(() => following.stop());
  const processId = newProcessId();
  const clocks = watchClocks(control);
  const backends: MonitoredBackend[] = [];
  const leaving: LeavingStore[] = [];
  const engines = new Map<string, LockEngine>();
  const gates = openGates(control, processId);
  const guarantees = new Map<string, GuaranteeWatch>();
  const duplicates = new DuplicateStores(processId);
  const nameCount = new NameCount(() => clock.monotonic());
  const capacity = new NameCapacity(nameCount, () => heap.isShort());
  const policiesOf = policiesInForce(capacity);
  const { onBackendStep } = clocks;
  const shared = { processId, newWriter, names: nameCount, policiesOf, onBackendStep };
  for (const backend of [{ id: 'default', url: config.database }, ...config.backends]) {
    const { id } = backend;
    if (backend.shards) {
      await refuseDuplicateShards(id, backend.shards.shards, duplicates);
      const sharded = await startShardedBackend(control, backend, shared, ends);
      engines.set(id, gates.inFrontOf(sharded.engine));
      guarantees.set(id, sharded.guarantees);
      backends.push(...sharded.stores);
      leaving.push(...sharded.leaving);
      continue;
    }
    const { watch, ...started } = await startBackend(control, backend, duplicates, shared, ends);
    const { engine } = started;
    engines.set(id, backend.url.kind === 'mysql' ? gates.inFrontOf(engine) : engine);
    guarantees.set(id, watch);
    backends.push(started);
  }
  const named = [...backends, ...leaving].map(({ id }) => id);
  const formerIds = await formerStores(database, named);
  leaving.push(...formerIds.map((store) => ({ ...store, store: null })));
  const [own] = backends;
  const past = config.demo && own ? await seedDemo(control, own.store, own.epochOf()) : [];
  const {
    close: stopMonitoring,
    runsMaintenance,
    ...monitoring
  } = startMonitoring({
    backends,
    leaving,
    database,
    clock,
    log,
    processId,
    namespaces,
    names: nameCount,
    heap,
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
  ends.push(() => stopMonitoring());
  ends.push(clocks.start(runsMaintenance));
  monitoring.metrics.add(() =>
    guaranteeMetrics([...guarantees.values()].map((each) => each.row())),
  );
  ends.push(async () => gates.close());
  monitoring.metrics.add(() => gateMetrics(gates));
  const limits = new CallerLimits(config.limits, clock);
  monitoring.metrics.add(() => limits.metrics());
  monitoring.metrics.add(() => apiKeyMetrics(database, clock.now()));
  const { historyLags } = monitoring;
  monitoring.metrics.add(() => jobMetrics(jobReports(clock.monotonic()), historyLags()));
  const lab = openLab(control);
  await lab.endFormerRuns();
  ends.push(() => lab.close());
  const cancelledRequests = new CancelledRequests(clock);
  const presence = new LockPresence(database, clock, monitoring.projection);
  const ours = { presence, nameCount, limits, cancelledRequests, lab, processId, runsMaintenance };
  return { engines, gates, guarantees, ...monitoring, ...ours };
}

/**
 * Starts a backend that is one store.
 *
 * @param ends as in `addBackends`
 * @throws StartError if another backend uses the same store
 */
async function startBackend(
  control: ControlRuntime,
  { id, url }: { id: string; url: BackendUrl },
  duplicates: DuplicateStores,
  { policiesOf, onBackendStep, ...shared }: SharedParts,
  ends: (() => Promise<void>)[],
): Promise<MonitoredBackend & { watch: GuaranteeWatch }> {
  const { clock, log, namespaces } = control;
  const { past, store } = await openWithPast(id, url, control);
  ends.push(() => store.close());
  const epochOf = () => past.epoch;
  const grantsFromOf = () => past.grantsFrom;
  duplicates.add({ id, past, store });
  const settingsRev = () => store.settingsRev ?? 0;
  const watch = await watchGuarantees(id, duplicates, settingsRev, control);
  const refusal = await duplicates.refusalOf(id);
  if (refusal !== null) throw new StartError(refusal);
  const history = new SharedHistory(store, clock);
  const engine = await createEngine({
    ...shared,
    backend: id,
    kind: url.kind,
    store,
    epochOf,
    clock,
    lossOf: () => past.loss ?? null,
    ...(onBackendStep ? { onClockStep: onBackendStep(id) } : {}),
    onFault: logFault(log, id),
    onSwap: history.noteSwap,
    policyOf: policiesOf(namespaces, grantsFromOf, watch),
  });
  // The engine closes its store too.
  ends.splice(-1, 1, () => engine.close());
  ends.push(watch.start());
  return { id, store, history, engine, epochOf, grantsFromOf, watch };
}

const unsafeControl = (why: string | null) =>
  `The configuration of the control database is unsafe. ${why} Fix it, or accept the risk ` +
  'with LOCKYARD_ALLOW_UNSAFE=default.';

const unread = (why: string | null) =>
  'The settings of the control database cannot be read, so nothing can be guaranteed.' +
  (why === null ? '' : ` ${why}`);

/** The control database must be safe at the start; any other backend grants nothing until it is. */
async function watchGuarantees(
  backend: string,
  duplicates: DuplicateStores,
  settingsRev: () => number,
  { config, clock, log }: ControlRuntime,
): Promise<GuaranteeWatch> {
  const isAllowed = config.allowUnsafe.includes(backend);
  const store = {
    guarantees: () => duplicates.guaranteesOf(backend),
    get settingsRev() {
      return settingsRev();
    },
  };
  const watch = new GuaranteeWatch({ backend, store, isAllowed, clock, log });
  await watch.read();
  const { reading, closedBecause } = watch.row();
  if (backend === 'default' && closedBecause !== null) {
    throw new StartError(reading ? unsafeControl(reading.unsafe) : unread(watch.refusal));
  }
  return watch;
}

/** A backend's store and its past, which is kept up to date if the store can lose data. */
async function openWithPast(
  id: string,
  url: BackendUrl,
  { config, clock, database, log }: ControlRuntime,
): Promise<{ past: BackendPast; store: RecordStore & HistorySource }> {
  const others = config.backends.map((backend) => backend.id).filter((other) => other !== id);
  if (url.kind === 'redis') {
    const incarnation = await StoreIncarnation.open(database, id, clock.now(), others);
    return { past: incarnation, store: new RedisStore(url.url, incarnation) };
  }
  const onFailure = (err: unknown) =>
    log.warn({ err, backend: id }, 'A backend is not available yet, retrying');
  if (url.kind === 'zookeeper') {
    const incarnation = await StoreIncarnation.open(database, id, clock.now(), others);
    return {
      past: incarnation,
      store: await LazyStore.start(() => openZookeeperStore(url, incarnation), onFailure),
    };
  }
  const past = { ...(await backendPast(database, id, clock.now())) };
  if (id === 'default') return { past, store: await openStore(config.database, database, clock) };
  const adoptEpoch = (own: Database) => adoptOwnEpoch(database, own, id, past, clock.now());
  const open = () => openBackend(url, clock, () => recordedPosition(database, id), adoptEpoch);
  return { past, store: await LazyStore.start(open, onFailure) };
}

/** Unlike other random values here, this must never repeat: it distinguishes holds and waiters. */
function newProcessId(): string {
  return randomBytes(6).toString('hex');
}
