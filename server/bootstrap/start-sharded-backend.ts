import type { Shard, ShardList } from '@/db/urls/shard-list';
import { rendezvousHash } from '../core/rendezvous-hash';
import { createEngine } from '../engine/create-engine';
import type { EngineOptions } from '../engine/engine-context';
import type { LockEngine, StoreEngine } from '../engine/lock-engine';
import type { PoliciesInForce } from '../engine/names/policies-in-force';
import { ShardedEngine } from '../engine/sharded-engine';
import { SharedHistory } from '../monitoring/history/shared-history';
import { GuaranteeWatch } from '../monitoring/maintenance/guarantee-watch';
import type { LeavingStore } from '../monitoring/monitoring-options';
import type { MonitoredBackend } from '../monitoring/projection/monitored-backend';
import type { NamespaceDirectory } from '../operations/namespaces/namespace-directory';
import type { ControlRuntime } from '../operations/operation-context';
import type { Log } from '../platform/log';
import { joinGuarantees } from '../storage/guarantees/rate-guarantees';
import { LazyStore } from '../storage/lazy-store';
import { recordId } from '../storage/record-id';
import type { Guarantees, RecordStore } from '../storage/record-store';
import { openShard } from '../storage/sharding/open-shard';
import { ShardAdmission } from '../storage/sharding/shard-admission';
import type { Config } from './config/config';
import { logFault } from './log-fault';

/** The parts of its process that a sharded backend needs. */
interface Control extends Pick<ControlRuntime, 'clock' | 'database' | 'log'> {
  config: Pick<Config, 'allowUnsafe'>;
  namespaces: Pick<NamespaceDirectory, 'policyOf'>;
}

/** What the engines of all backends of a process have in common. */
export interface SharedParts extends Pick<EngineOptions, 'processId' | 'newWriter' | 'names'> {
  /** Called when the clock of a backend or shard was set: see `EngineOptions`. */
  onBackendStep?: (store: string) => (ms: number) => void;
  /** Policies of namespaces on a backend that grants nothing before an instant, or is closed. */
  policiesOf: PoliciesInForce;
}

/** The parts of a started sharded backend. */
interface ShardedBackend {
  engine: LockEngine;
  stores: MonitoredBackend[];
  leaving: LeavingStore[];
  /** What all shards together promise. Each shard that is configured unsafely is closed alone. */
  guarantees: GuaranteeWatch;
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
  { policiesOf, onBackendStep, ...shared }: SharedParts,
  ends: (() => Promise<void>)[],
): Promise<ShardedBackend> {
  const { clock, config, database, log, namespaces } = control;
  const admission = new ShardAdmission({
    backend: id,
    list,
    database,
    clock,
    onChange: (refusal) =>
      refusal === null
        ? log.info({ backend: id }, 'The shards are in service')
        : log.warn({ backend: id, refusal }, 'The shards are out of service'),
  });
  ends.push(async () => admission.close());
  const openLazily = async (shard: Shard) => {
    const store = await LazyStore.start(
      () => openShard(shard, admission.fence),
      (err) =>
        log.warn({ err, backend: id, shard: shard.name }, 'A shard is not available yet, retrying'),
    );
    ends.push(() => store.close());
    return store;
  };
  // Opened first: opening a new database creates what the admission check reads.
  const stores = await Promise.all(list.shards.map(openLazily));
  await admission.start();
  const epochOf = () => admission.past.epoch;
  const grantsFromOf = () => admission.past.grantsFrom;
  const isAllowed = config.allowUnsafe.includes(id);
  const watchOf = (store: Pick<RecordStore, 'guarantees'>, ofStore: Log) =>
    new GuaranteeWatch({ backend: id, store, isAllowed, clock, log: ofStore });
  const watches = list.shards.map(({ name }, i) =>
    watchOf(stores[i] as LazyStore, log.child({ shard: name })),
  );
  const joint = {
    guarantees: async () => {
      const each = await Promise.all(stores.map((store) => store.guarantees()));
      return joinGuarantees(list.shards.map(({ name }, i) => [name, each[i] as Guarantees]));
    },
  };
  const guarantees = watchOf(joint, log);
  await Promise.all([...watches, guarantees].map((watch) => watch.read()));
  const histories = stores.map((store) => new SharedHistory(store, clock));
  const engines = await Promise.all(
    list.shards.map((shard, i) => {
      const store = stores[i] as LazyStore;
      return createEngine({
        ...shared,
        ...(onBackendStep ? { onClockStep: onBackendStep(shard.id) } : {}),
        backend: shard.id,
        kind: 'mysql',
        store,
        epochOf,
        clock,
        onFault: logFault(log, shard.id),
        onSwap: (histories[i] as SharedHistory).noteSwap,
        policyOf: policiesOf(namespaces, grantsFromOf, watches[i] as GuaranteeWatch),
      });
    }),
  );
  // Each engine closes its store too.
  ends.splice(-engines.length, engines.length, ...engines.map((each) => () => each.close()));
  ends.push(...[...watches, guarantees].map((watch) => watch.start()));
  const homeOf = rendezvousHash(list.shards.map(({ name }) => name));
  const engine = new ShardedEngine({
    backend: id,
    shards: list.shards.map(({ name }, i) => ({ name, engine: engines[i] as LockEngine })),
    homeOf,
    refusal: () => admission.refusal,
  });
  const observed = list.shards.map(
    (shard, i): MonitoredBackend => ({
      id: shard.id,
      store: stores[i] as LazyStore,
      history: histories[i] as SharedHistory,
      engine: engines[i] as StoreEngine,
      epochOf,
      grantsFromOf,
      shard: {
        backend: id,
        owns: (key) => homeOf(recordId(key)) === i,
        health: () => engine.health(),
      },
    }),
  );
  const leavingStores = await Promise.all(list.leaving.map(openLazily));
  const leaving = list.leaving.map((shard, i): LeavingStore => {
    return { id: shard.id, backend: id, store: leavingStores[i] as LazyStore };
  });
  return { engine, stores: observed, leaving, guarantees };
}
