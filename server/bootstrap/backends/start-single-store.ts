import type { Database } from '@/db/database';
import type { BackendUrl } from '@/db/urls/backend-url';
import { createEngine } from '../../engine/create-engine';
import { SharedHistory } from '../../monitoring/history/shared-history';
import { GuaranteeWatch } from '../../monitoring/maintenance/guarantee-watch';
import type { MonitoredBackend } from '../../monitoring/projection/monitored-backend';
import type { ControlRuntime } from '../../operations/operation-context';
import { StartError } from '../../platform/start-error';
import { type BackendPast, backendPast } from '../../storage/incarnation/backend-past';
import { adoptOwnEpoch } from '../../storage/incarnation/own-epoch';
import { StoreIncarnation } from '../../storage/incarnation/store-incarnation';
import { LazyStore } from '../../storage/lazy-store';
import { openBackend, openStore } from '../../storage/open-store';
import type { HistorySource, RecordStore } from '../../storage/record-store';
import { recordedPosition } from '../../storage/recorded-position';
import { RedisStore } from '../../storage/redis/redis-store';
import { openZookeeperStore } from '../../storage/zookeeper/zookeeper-store';
import { auditLoss } from './audit-loss';
import type { DuplicateStores } from './duplicate-stores';
import type { EngineParts } from './engine-parts';
import { logFault, logLoss } from './log-fault';

/**
 * Starts a backend that is one store.
 *
 * @param ends functions that close what has been opened so far, in the order of opening
 * @throws StartError if another backend uses the same store
 */
export async function startSingleStore(
  control: ControlRuntime,
  { id, url }: { id: string; url: BackendUrl },
  duplicates: DuplicateStores,
  { policiesOf, onBackendStep, ...shared }: EngineParts,
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
  control: ControlRuntime,
): Promise<{ past: BackendPast; store: RecordStore & HistorySource }> {
  const { config, clock, database, log } = control;
  const others = config.backends.map((backend) => backend.id).filter((other) => other !== id);
  const openIncarnation = async () => {
    const incarnation = await StoreIncarnation.open(database, id, clock.now(), others);
    incarnation.onLoss = logLoss(log, id);
    incarnation.onOwnLoss = auditLoss(control, id);
    return incarnation;
  };
  if (url.kind === 'redis') {
    const incarnation = await openIncarnation();
    return { past: incarnation, store: new RedisStore(url.url, incarnation) };
  }
  const onFailure = (err: unknown) =>
    log.warn({ err, backend: id }, 'A backend is not available yet, retrying');
  if (url.kind === 'zookeeper') {
    const incarnation = await openIncarnation();
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
