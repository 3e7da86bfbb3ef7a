import type { BackendHealth } from '../../contract/console/backend-health';
import type { NamespacePolicy } from '../../contract/namespace-policy';
import type { LockEngine, StoreEngine } from '../../engine/lock-engine';
import type { HistorySource, RecordKey, RecordStore } from '../../storage/record-store';
import type { SharedHistory } from '../history/shared-history';

/** The backend that a shard belongs to. */
export interface ShardInfo {
  /** The backend's id, as users know it. */
  backend: string;
  /** Whether a record belongs here. One left over from before a reshard is ignored. */
  owns: (key: RecordKey) => boolean;
  /** The health of the whole backend. */
  health: () => BackendHealth;
}

/** A backend that is monitored; of one with shards, each shard. */
export interface MonitoredBackend {
  /** The id under which its history is recorded. */
  id: string;
  store: RecordStore & HistorySource;
  /** The history of `store`, for all that follow it. Absent: own commits are read from it too. */
  history?: Pick<SharedHistory, 'forTail'>;
  engine: StoreEngine;
  epochOf: () => number;
  /** No lock is granted there before; 0: any is. Absent: always 0. */
  grantsFromOf?: () => number;
  shard?: ShardInfo;
}

/** What is known of namespaces. */
export interface NamespaceLookup {
  /** Null: there is no such namespace. */
  get(namespace: string): Promise<{ backend: string } | null>;
  /** The policy as last read. */
  policyOf(namespace: string): NamespacePolicy;
}

/** The part of a backend or shard that identifies it, and says how it is. */
export interface BackendState {
  id: string;
  engine: Pick<LockEngine, 'health'>;
  shard?: Pick<ShardInfo, 'backend' | 'health'>;
}

/** The same with the part that says which records it keeps. */
interface BackendOrShard extends BackendState {
  shard?: ShardInfo;
}

/** The backend's id, as users know it. */
export const publicId = ({ id, shard }: BackendState): string => shard?.backend ?? id;

/** The health of each backend as users know it: one with shards is one. */
export function publicHealths(backends: readonly BackendState[]): BackendHealth[] {
  const healths = new Map<string, BackendHealth>();
  for (const backend of backends) {
    const id = publicId(backend);
    if (healths.has(id)) continue;
    healths.set(id, backend.shard ? backend.shard.health() : backend.engine.health());
  }
  return [...healths.values()];
}

/**
 * The backend, or the shard of it, that keeps a record.
 *
 * @param id as users know it
 */
export function locateStore<B extends BackendOrShard>(
  backends: readonly B[],
  id: string | null,
  key: RecordKey,
): B | undefined {
  return backends.find((one) => publicId(one) === id && (!one.shard || one.shard.owns(key)));
}

/** Whether all of a backend, all of its shards, has been read. @param id as users know it */
export function isBackendRead(
  readAt: ReadonlyMap<string, number>,
  backends: readonly BackendState[],
  id: string,
): boolean {
  const stores = backends.filter((backend) => publicId(backend) === id);
  return stores.length > 0 && stores.every((store) => readAt.has(store.id));
}
