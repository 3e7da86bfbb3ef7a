import type { Database } from '@/db/database';
import type { Actor } from '../auth/actor';
import type { ApiKeyVerifier } from '../auth/api-keys/api-key-verifier';
import type { SessionManager } from '../auth/sessions/session-manager';
import type { Config } from '../bootstrap/config/config';
import type { LockEngine } from '../engine/lock-engine';
import type { NameCount } from '../engine/names/name-count';
import type { EventHistory } from '../monitoring/history/event-history';
import type { GuaranteeWatch } from '../monitoring/maintenance/guarantee-watch';
import type { Metrics } from '../monitoring/metrics/metrics';
import type { NameDeletion } from '../monitoring/names/name-deletion';
import type { LockProjection } from '../monitoring/projection/lock-projection';
import type { FleetView } from '../monitoring/rollups/fleet-view';
import type { LockInsights } from '../monitoring/rollups/lock-insights';
import type { Clock } from '../platform/clock';
import type { Log } from '../platform/log';
import type { RefusedActs } from './audit/refused-acts';
import type { CallerLimits } from './caller-limits';
import type { NamespaceDirectory } from './namespaces/namespace-directory';

/**
 * What managing people, keys and namespaces needs: a database, but no backend. The command line may
 * have only this.
 */
export interface ControlRuntime {
  config: Config;
  clock: Clock;
  log: Log;
  database: Database;
  namespaces: NamespaceDirectory;
  apiKeys: ApiKeyVerifier;
  sessions: SessionManager;
  refusedActs: RefusedActs;
  /** Keys what only this installation may make, such as setup and demo links. */
  secret: string;
}

/** Everything of one process. */
export interface Runtime extends ControlRuntime {
  /** By backend id. */
  engines: Map<string, LockEngine>;
  /** By backend id. */
  guarantees: Map<string, GuaranteeWatch>;
  projection: LockProjection;
  events: EventHistory;
  insights: LockInsights;
  fleet: FleetView;
  metrics: Metrics;
  nameCount: NameCount;
  limits: CallerLimits;
  nameDeletion: NameDeletion;
  /** Random, new at every start. */
  processId: string;
  close(): Promise<void>;
}

/** The line to a caller, on which it may hang up. */
export interface CallerConnection {
  /** Whether the caller has hung up. */
  readonly isClosed: boolean;
  /**
   * Aborted when the caller hangs up. Made when it is first asked for, which calls that do not wait
   * had better not.
   */
  readonly signal: AbortSignal;
  /**
   * From now on the call only waits for others: what it took of this process's capacity is free.
   */
  onWaiting(): void;
}

/** One call of an operation that needs no backend. */
export interface ControlContext {
  runtime: ControlRuntime;
  /** Null: not signed in. */
  actor: Actor | null;
  /** The peer's network address; `local` for the command line. */
  address: string;
  /** Whether the caller's side of the connection is encrypted; absent where there is none. */
  isSecure?: boolean;
  requestId: string;
  /** Aborted when the caller has hung up. */
  readonly signal?: AbortSignal;
  /** Whether the caller has hung up: cheaper than `signal`, for those who ask once. */
  hasHungUp?(): boolean;
  /** As `CallerLine.beginsToWait`. */
  onWaiting?(): void;
}

/**
 * One call of an operation. Operations check permission themselves: nothing above them is trusted
 * to have done it.
 */
export interface OperationContext extends ControlContext {
  runtime: Runtime;
}
