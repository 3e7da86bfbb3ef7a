import type { Shard, ShardList } from '@/db/urls/shard-list';
import { rendezvousHash } from '../../core/rendezvous-hash';
import { createEngine } from '../../engine/create-engine';
import type { LockEngine, StoreEngine } from '../../engine/lock-engine';
import { ShardedEngine } from '../../engine/sharded-engine';
import { SharedHistory } from '../../monitoring/history/shared-history';
import { GuaranteeWatch } from '../../monitoring/maintenance/guarantee-watch';
import type { LeavingStore } from '../../monitoring/monitoring-options';
import type { MonitoredBackend } from '../../monitoring/projection/monitored-backend';
import type { NamespaceDirectory } from '../../operations/namespaces/namespace-directory';
import type { ControlRuntime } from '../../operations/operation-context';
import type { Log } from '../../platform/log';
import { joinGuarantees } from '../../storage/guarantees/rate-guarantees';
import { LazyStore } from '../../storage/lazy-store';
import { recordId } from '../../storage/record-id';
import type { Guarantees, RecordStore } from '../../storage/record-store';
import { openShard } from '../../storage/sharding/open-shard';
import { ShardAdmission } from '../../storage/sharding/shard-admission';
import type { Config } from '../config/config';
import type { EngineParts } from './engine-parts';
import { logFault } from './log-fault';

/** The parts of its process that a sharded backend needs. */
interface Control extends Pick<ControlRuntime, 'clock' | 'database' | 'log'> {
  config: Pick<Config, 'allowUnsafe'>;
  namespaces: Pick<NamespaceDirectory, 'policyOf'>;
}

/** The parts of a started sharded backend. */
interface ShardedBackend {
  engine: LockEngine;
  stores: MonitoredBackend[];
  leaving: LeavingStore[];
  /** What all shards together promise. Each shard that is configured unsafely is closed alone. */
  guarantees: GuaranteeWatch;
}

interface OpenedShard extends Shard {
  store: LazyStore;
  history: SharedHistory;
  watch: GuaranteeWatch;
}

/**
 * Starts a backend whose names are distributed over several databases, any of which may be absent.
 *
 * @param ends functions that close what has been opened so far, in the order of opening, even if
 *   the start fails
 */
export async function startShardedBackend(
  control: Control,
  { id, shards: list }: { id: string; shards: ShardList },
  parts: EngineParts,
  ends: (() => Promise<void>)[],
): Promise<ShardedBackend> {
  const admission = newAdmission(control, id, list);
  ends.push(async () => admission.close());
  const openStore = (shard: Shard) => openLazily(shard, id, admission, control.log, ends);
  // Opened first: opening a new database creates what the admission check reads.
  const stores = await Promise.all(list.shards.map(openStore));
  await admission.start();

  const { shards, guarantees } = watchShards(control, id, list.shards, stores);
  const watches = [...shards.map(({ watch }) => watch), guarantees];
  await Promise.all(watches.map((watch) => watch.read()));

  const startShard = (shard: OpenedShard) => startEngine(shard, admission, parts, control);
  const engines = await Promise.all(shards.map(startShard));
  // Each engine closes its store too.
  ends.splice(-engines.length, engines.length, ...engines.map((each) => () => each.close()));
  ends.push(...watches.map((watch) => watch.start()));

  const homeOf = rendezvousHash(shards.map(({ name }) => name));
  const engine = new ShardedEngine({
    backend: id,
    shards: shards.map(({ name }, i) => ({ name, engine: engines[i] as LockEngine })),
    homeOf,
    refusal: () => admission.refusal,
  });
  const monitored = shards.map(
    ({ id: shardId, store, history }, i): MonitoredBackend => ({
      id: shardId,
      store,
      history,
      engine: engines[i] as StoreEngine,
      ...pastOf(admission),
      shard: {
        backend: id,
        owns: (key) => homeOf(recordId(key)) === i,
        health: () => engine.health(),
      },
    }),
  );
  const leaving = await Promise.all(
    list.leaving.map(async (shard): Promise<LeavingStore> => {
      return { id: shard.id, backend: id, store: await openStore(shard) };
    }),
  );
  return { engine, stores: monitored, leaving, guarantees };
}

function newAdmission(
  { clock, database, log }: Control,
  backend: string,
  list: ShardList,
): ShardAdmission {
  return new ShardAdmission({
    backend,
    list,
    database,
    clock,
    onChange: (refusal) =>
      refusal === null
        ? log.info({ backend }, 'The shards are in service')
        : log.warn({ backend, refusal }, 'The shards are out of service'),
  });
}

async function openLazily(
  shard: Shard,
  backend: string,
  admission: ShardAdmission,
  log: Log,
  ends: (() => Promise<void>)[],
): Promise<LazyStore> {
  const store = await LazyStore.start(
    () => openShard(shard, admission.fence),
    (err) =>
      log.warn({ err, backend, shard: shard.name }, 'A shard is not available yet, retrying'),
  );
  ends.push(() => store.close());
  return store;
}

/** Rates the settings of each shard, and what all of them promise together. */
function watchShards(
  { clock, config, log }: Control,
  backend: string,
  list: readonly Shard[],
  stores: readonly LazyStore[],
): { shards: OpenedShard[]; guarantees: GuaranteeWatch } {
  const isAllowed = config.allowUnsafe.includes(backend);
  const watchOf = (store: Pick<RecordStore, 'guarantees'>, ofStore: Log) =>
    new GuaranteeWatch({ backend, store, isAllowed, clock, log: ofStore });
  const shards = list.map((shard, i): OpenedShard => {
    const store = stores[i] as LazyStore;
    const watch = watchOf(store, log.child({ shard: shard.name }));
    return { ...shard, store, history: new SharedHistory(store, clock), watch };
  });
  const joint = {
    guarantees: async () => {
      const each = await Promise.all(stores.map((store) => store.guarantees()));
      return joinGuarantees(list.map(({ name }, i) => [name, each[i] as Guarantees]));
    },
  };
  return { shards, guarantees: watchOf(joint, log) };
}

function startEngine(
  { id, store, history, watch }: OpenedShard,
  admission: ShardAdmission,
  { policiesOf, onBackendStep, ...shared }: EngineParts,
  { clock, log, namespaces }: Control,
): Promise<StoreEngine> {
  const { epochOf, grantsFromOf } = pastOf(admission);
  return createEngine({
    ...shared,
    ...(onBackendStep ? { onClockStep: onBackendStep(id) } : {}),
    backend: id,
    kind: 'mysql',
    store,
    epochOf,
    clock,
    onFault: logFault(log, id),
    onSwap: history.noteSwap,
    policyOf: policiesOf(namespaces, grantsFromOf, watch),
  });
}

/** The past of the backend, which all its shards share. */
const pastOf = (admission: ShardAdmission) => ({
  epochOf: () => admission.past.epoch,
  grantsFromOf: () => admission.past.grantsFrom,
});
