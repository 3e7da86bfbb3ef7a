import {
  type BackendHealth,
  type RecordKeeper,
  refusingClause,
} from '../../contract/console/backend-health';
import { LockyardError } from '../../contract/errors';
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

/** A monitored backend, or a shard of one. */
export interface MonitoredBackend {
  /** The id under which its history is recorded. */
  id: string;
  store: RecordStore & HistorySource;
  /**
   * The history of `store`, shared by all that follow it. Absent: what this process has committed
   * is read from the store again.
   */
  history?: Pick<SharedHistory, 'forTail'>;
  engine: StoreEngine;
  epochOf: () => number;
  /** The instant before which no lock is granted there; 0: none. Absent: always 0. */
  grantsFromOf?: () => number;
  shard?: ShardInfo;
}

/** The namespaces, and their policies. */
export interface NamespaceLookup {
  /** Null: there is no such namespace. */
  get(namespace: string): Promise<{ backend: string } | null>;
  /** The policy as last read. */
  policyOf(namespace: string): NamespacePolicy;
}

/** The identity and the health of a backend or shard. */
export interface BackendState {
  id: string;
  engine: Pick<LockEngine, 'health'>;
  shard?: Pick<ShardInfo, 'backend' | 'health'>;
}

/** A backend or shard that also knows which records it keeps. */
interface BackendOrShard extends BackendState {
  shard?: ShardInfo;
}

/** The backend's id, as users know it. */
export const publicId = ({ id, shard }: BackendState): string => shard?.backend ?? id;

/** The ids of the store that has a record: its own, and that of the backend as users know it. */
interface StoreIds {
  backend: string;
  publicBackend: string;
}

/** The store that has a record, as pages name it. */
export const keeperOf = ({ backend, publicBackend }: StoreIds): RecordKeeper =>
  backend === publicBackend ? { backend } : { backend: publicBackend, shard: backend };

/**
 * The health of the store that has a record, under the id of its backend. A shard that serves
 * rejects requests all the same while all of its backend is disabled on this server.
 */
export function recordHealth(store: BackendState): BackendHealth {
  const own = { ...store.engine.health(), id: publicId(store) };
  const refusal = store.shard?.health().refusal;
  return refusal ? { ...own, reachable: false, refusal, shards: [] } : own;
}

/** The health of each backend as users know it: all shards of one together. */
export function publicHealths(backends: readonly BackendState[]): BackendHealth[] {
  const healths = new Map<string, BackendHealth>();
  for (const backend of backends) {
    const id = publicId(backend);
    const own = backend.engine.health();
    const whole = healths.get(id) ?? backend.shard?.health() ?? own;
    const { unreadForMs = whole.unreadForMs } = own;
    healths.set(id, unreadForMs === undefined ? whole : { ...whole, unreadForMs });
  }
  return [...healths.values()];
}

/**
 * The clock of a backend or shard minus that of this process, in ms; 0 for one that is not known.
 *
 * @param id its own, or that of a backend as users know it
 */
export function clockOffsetOf(backends: readonly BackendState[], id: string): number {
  const store = backends.find((backend) => backend.id === id);
  const health = store?.engine.health() ?? publicHealths(backends).find((one) => one.id === id);
  return health?.clockOffsetMs ?? 0;
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

/**
 * Like `locateStore`, for a reader who needs the store itself.
 *
 * @param id null: the namespace of the record does not exist
 * @throws LockyardError `NOT_FOUND` without an id, `BACKEND_DOWN` for one that is not configured
 */
export function requireStore<B extends BackendOrShard>(
  backends: readonly B[],
  id: string | null,
  key: RecordKey,
): B {
  if (id === null) throw noNamespace(key.namespace);
  const store = locateStore(backends, id, key);
  if (!store) throw notConfigured(key.namespace, id);
  return store;
}

/**
 * The error for a reader of a backend that does not serve.
 *
 * @param health of the backend, under its id as users know it, or of the shard that is asked
 * @param effect what cannot be done, as the end of a sentence
 */
export function notServing(
  health: Pick<BackendHealth, 'id' | 'refusal' | 'shards'>,
  effect: string,
  cause?: unknown,
): LockyardError {
  const { id, refusal } = health;
  const text = refusal
    ? `The backend "${id}" ${refusingClause(health)}, ${effect} ${refusal}`
    : `The backend "${id}" is not responding, ${effect}`;
  return new LockyardError('BACKEND_DOWN', text, { cause, retryAfterMs: 1_000 });
}

/** The error for a namespace that does not exist, or was removed. */
export const noNamespace = (namespace: string) =>
  new LockyardError('NOT_FOUND', `There is no namespace "${namespace}".`);

/** The error for a namespace whose backend this server was not started with. */
export const notConfigured = (namespace: string, backend: string) =>
  new LockyardError(
    'BACKEND_DOWN',
    `Namespace "${namespace}" is on backend "${backend}", not configured on this server.`,
  );
