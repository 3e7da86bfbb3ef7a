import type { CounterGates } from '../../engine/gate/counter-gates';
import type { LockEngine } from '../../engine/lock-engine';
import { formerStores } from '../../monitoring/history/former-stores';
import type { GuaranteeWatch } from '../../monitoring/maintenance/guarantee-watch';
import type { LeavingStore } from '../../monitoring/monitoring-options';
import type { MonitoredBackend } from '../../monitoring/projection/monitored-backend';
import type { ControlRuntime } from '../../operations/operation-context';
import { DuplicateStores, refuseDuplicateShards } from './duplicate-stores';
import type { EngineParts } from './engine-parts';
import { startShardedBackend } from './start-sharded-backend';
import { startSingleStore } from './start-single-store';

/** All backends of a process. */
export interface StartedBackends {
  /** By backend id. */
  engines: Map<string, LockEngine>;
  /** By backend id. */
  guarantees: Map<string, GuaranteeWatch>;
  /** The stores in use, that of the control database first. A sharded backend has several. */
  stores: MonitoredBackend[];
  /** Shards that are being emptied, and stores that no configuration names any more. */
  leaving: LeavingStore[];
}

/**
 * Starts every configured backend, the one in the control database first.
 *
 * @param gates in front of the engines of those on MySQL
 * @param ends functions that close what has been opened so far, in the order of opening
 * @throws StartError if two backends use the same store, or the control database is unsafe
 */
export async function startBackends(
  control: ControlRuntime,
  parts: EngineParts,
  gates: CounterGates,
  ends: (() => Promise<void>)[],
): Promise<StartedBackends> {
  const { config, database } = control;
  const started: StartedBackends = {
    engines: new Map(),
    guarantees: new Map(),
    stores: [],
    leaving: [],
  };
  const { engines, guarantees, stores, leaving } = started;
  const duplicates = new DuplicateStores(parts.processId);
  for (const backend of [{ id: 'default', url: config.database }, ...config.backends]) {
    const { id } = backend;
    if (backend.shards) {
      await refuseDuplicateShards(id, backend.shards.shards, duplicates);
      const sharded = await startShardedBackend(control, backend, parts, ends);
      engines.set(id, gates.inFrontOf(sharded.engine));
      guarantees.set(id, sharded.guarantees);
      stores.push(...sharded.stores);
      leaving.push(...sharded.leaving);
      continue;
    }
    const { watch, ...store } = await startSingleStore(control, backend, duplicates, parts, ends);
    const { engine } = store;
    engines.set(id, backend.url.kind === 'mysql' ? gates.inFrontOf(engine) : engine);
    guarantees.set(id, watch);
    stores.push(store);
  }
  const configured = [...stores, ...leaving].map(({ id }) => id);
  const former = await formerStores(database, configured);
  leaving.push(...former.map((store) => ({ ...store, store: null })));
  return started;
}
