import type { Database } from '@/db/database';
import type { ConfiguredWitness } from '../bootstrap/config/witness-urls';
import type { Retention } from '../core/retention';
import type { NameCount } from '../engine/names/name-count';
import type { Clock } from '../platform/clock';
import type { Log } from '../platform/log';
import type { ShouldContinue } from '../platform/periodic';
import type { AlertDelivery } from './alerts/alerting';
import type { HeapWatch } from './maintenance/heap-watch';
import type { MonitoredBackend, NamespaceLookup } from './projection/monitored-backend';

export interface MonitoringOptions extends AlertDelivery {
  backends: MonitoredBackend[];
  /** Stores that are no longer in use. The rest of their history is recorded and retained. */
  leaving?: LeavingStore[];
  database: Database;
  clock: Clock;
  log: Log;
  processId: string;
  namespaces: KnownNamespaces;
  /** How many names each namespace has, as counted by the projection. */
  names: NameCount;
  heap: Pick<HeapWatch, 'isShort'>;
  /** Closes audit intents whose outcome was never written. */
  resolveIntents: () => Promise<void>;
  /** Removes old audit entries; absent: none is ever removed. */
  pruneAudit?: (shouldContinue: ShouldContinue) => Promise<void>;
  /** URLs that answer whether a holder's process is alive. */
  witnesses?: readonly ConfiguredWitness[];
  /** Absent: the default. */
  retention?: Retention;
}

/** Every namespace, also those that were removed. */
export interface KnownNamespaces extends NamespaceLookup {
  /** Those that exist, the oldest first. */
  all(): Iterable<{ name: string; backend: string }>;
  /** The backend of a namespace, even of one that was removed; null: it never existed. */
  keeperOf(namespace: string): Promise<string | null>;
}

/** A shard that is being emptied, or a store that is no longer in use. */
export interface LeavingStore extends Pick<MonitoredBackend, 'id'> {
  /** Null if no configuration names it any more. */
  store: MonitoredBackend['store'] | null;
  /** The backend's id, as users know it. */
  backend: string;
}
