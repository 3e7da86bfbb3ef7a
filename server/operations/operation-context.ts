import type { Database } from '@/db/database';
import type { Actor } from '../auth/actor';
import type { ApiKeyVerifier } from '../auth/api-keys/api-key-verifier';
import type { SessionManager } from '../auth/sessions/session-manager';
import type { Config } from '../bootstrap/config/config';
import type { CounterGates } from '../engine/gate/counter-gates';
import type { LockEngine } from '../engine/lock-engine';
import type { NameCount } from '../engine/names/name-count';
import type { GuaranteeWatch } from '../monitoring/maintenance/guarantee-watch';
import type { Monitoring } from '../monitoring/monitoring';
import type { LockPresence } from '../monitoring/presence/lock-presence';
import type { Clock } from '../platform/clock';
import type { Log } from '../platform/log';
import type { RefusedActs } from './audit/refused-acts';
import type { CallerLimits } from './caller-limits';
import type { LabRaces } from './lab/lab-races';
import type { CancelledRequests } from './locks/for-services/cancelled-requests';
import type { NamespaceDirectory } from './namespaces/namespace-directory';

/** What managing users, keys and namespaces needs: the control database, but no backend. */
export interface ControlRuntime {
  config: Config;
  clock: Clock;
  log: Log;
  database: Database;
  namespaces: NamespaceDirectory;
  apiKeys: ApiKeyVerifier;
  sessions: SessionManager;
  refusedActs: RefusedActs;
  /** Signs what only this installation may issue: the demo link, marks of known browsers. */
  secret: string;
}

/** Everything of one process. */
export interface Runtime extends ControlRuntime, Monitoring {
  /** By backend id. */
  engines: Map<string, LockEngine>;
  /** The gates in front of counters. */
  gates: CounterGates;
  /** By backend id. */
  guarantees: Map<string, GuaranteeWatch>;
  presence: LockPresence;
  nameCount: NameCount;
  limits: CallerLimits;
  cancelledRequests: CancelledRequests;
  lab: LabRaces;
  /** Random, new at every start. */
  processId: string;
  /** When the server was started, on its monotonic clock: its process may have built it first. */
  startedAt: number;
}

/** The connection of a call to its caller, who may hang up. */
export interface CallerConnection {
  /** Whether the caller has hung up. */
  readonly isClosed: boolean;
  /** Aborted when the caller hangs up. Costs time on first use: only for calls that wait. */
  readonly signal: AbortSignal;
  /**
   * Called when the call only waits for others, which frees its share of this process's capacity.
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
  /** The request's `User-Agent` header; absent: it had none, or is not of a browser's API. */
  readonly userAgent?: string | undefined;
  /** Aborted when the caller has hung up. */
  readonly signal?: AbortSignal;
  /** Whether the caller has hung up: cheaper than `signal` for a single check. */
  hasHungUp?(): boolean;
  /** See `CallerConnection.onWaiting`. */
  onWaiting?(): void;
  /** The request's `traceparent` header, valid and of version 00; absent: it had none. */
  readonly traceparent?: string | undefined;
}

/** One call of an operation. Operations check permission themselves and trust no caller. */
export interface OperationContext extends ControlContext {
  runtime: Runtime;
}
