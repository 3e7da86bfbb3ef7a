import type { HoldBaseline } from '../../contract/console/insight-row';
import type { NamespacePolicy } from '../../contract/namespace-policy';
import type { NameCount } from '../../engine/names/name-count';
import type { Clock } from '../../platform/clock';
import type { Log } from '../../platform/log';
import type { MonitoredBackend } from './lock-projection';

/** What a board is made of. */
export interface LockProjectionOptions {
  backends: MonitoredBackend[];
  clock: Clock;
  log: Log;
  /** Which backend a namespace lives on; null if there is no such namespace. */
  backendOf: (namespace: string) => Promise<string | null>;
  /** What a namespace allows, as last read. */
  policyOf: (namespace: string) => NamespacePolicy;
  /** How long a lock is held as a rule, by its id on the board. */
  baselineOf: (id: string) => HoldBaseline | null;
  /** Notified of every name that is added or removed. */
  names: NameCount;
  /** Unlike that of any other process. */
  processId: string;
}
