import type { EndCause, Meta, Mode, Remark, SetMark } from '../../core/lock/lock-record';
import type { LockStatus } from '../../core/status/lock-status';
import type { StuckReason } from '../../core/status/stuck-reason';
import type { NamespacePolicy } from '../namespace-policy';
import type { BackendLossRow } from './backend-loss';
import type { OwnHold } from './insight-row';

/** One line of the lock list. Instants are the backend's clock. */
export interface LockRow {
  /** Stable and unique over all backends. */
  id: string;
  namespace: string;
  name: string;
  backend: string;
  rev: number;
  status: LockStatus;
  /** Set exactly while the status is `stuck`. */
  stuck: StuckReason | null;
  /** Of several that share the lock: the one that will end last. */
  hold: HoldRow | null;
  /** How many held the lock when it was read. */
  holders: number;
  frozen: Remark | null;
  /** The lock-delay: nobody is granted before this instant; 0 for none. */
  delayedUntil: number;
  /** The hold that ended last; shown while nobody holds the lock. */
  ended: {
    owner: string;
    service: string;
    token: number;
    cause: EndCause;
    grantedAt: number;
    at: number;
  } | null;
  waiters: number;
  /** When the longest waiter came; null if nobody waits. */
  oldestWaitAt: number | null;
  /** How long this lock is held as a rule; null while it has too little history to tell. */
  ownHold: OwnHold | null;
  /** When this row was read from its backend, on the backend's clock. */
  readAt: number;
  /** What is wrong with a record of which nobody can tell what it says, as a sentence; absent for every other. */
  unreadable?: string;
}

export interface HoldRow {
  token: number;
  mode: Mode;
  service: string;
  owner: string;
  holdCount: number;
  leaseMs: number;
  grantedAt: number;
  renewedAt: number;
  renewals: number;
  expiresAt: number;
  waitedMs: number;
  meta: Meta;
  askedToRelease: Remark | null;
  renewalsStopped: Remark | null;
  /** The set that it was granted with; absent for a lock that was taken alone. */
  set?: SetMark;
}

/** How a backend is, as last seen by this process. */
export interface BackendHealth {
  id: string;
  /** The scheme of its URL, such as `mysql`. */
  kind: string;
  reachable: boolean;
  /** The last round trip, in milliseconds; null before the first. */
  latencyMs: number | null;
  /** Milliseconds since the last good answer. */
  silentForMs: number;
  /** The backend's clock minus this process's, in milliseconds; add it to now to get the backend's now. */
  clockOffsetMs: number;
  /** The last time that it was seen to have lost its memory; null or absent where that never was. */
  loss?: BackendLossRow | null;
  /** Why it serves nobody though it may answer; null or absent while it serves, and where it does not answer. */
  refusal?: string | null;
  /** Where its names are spread over several databases: each of them, by name. */
  shards?: ShardHealth[];
}

/** How one shard of a backend is. Its id is what its history is filed under; people see its name. */
export interface ShardHealth extends Omit<BackendHealth, 'shards' | 'refusal'> {
  /** `host:port/database`. */
  name: string;
}

/** A window into the lock list as one person sees it: filtered, sorted on the server, with the counts of all locks. */
export interface LockPage {
  /** Those at `offset`, `offset + 1`, … of the locks that match. */
  rows: LockRow[];
  offset: number;
  /** Which ranking the order is from: changes whenever the locks are ranked again. Rows of two rankings do not fit together. */
  ranking: string;
  /** How many locks match the filter. */
  matching: number;
  /** Of every lock whatever the filter, by status. */
  counts: Record<LockStatus, number>;
  total: number;
  waiting: number;
  backends: BackendHealth[];
  namespaces: string[];
  /** All live lists together cost this process more than they may, so updates come less often than usual. */
  slowed: boolean;
  /** This server's clock when the page was made, epoch milliseconds. */
  asOf: number;
}

/** A lock as its own page shows it. */
export interface LockDetail {
  row: LockRow;
  /** Everybody who holds it; the first is whoever was granted first. */
  holds: HoldRow[];
  waiters: WaiterRow[];
  lastToken: number;
  minValidToken: number;
  backend: BackendHealth;
  policy: NamespacePolicy;
  asOf: number;
  /** False when the backend did not answer: then this is the last good reading. */
  fresh: boolean;
}

export interface WaiterRow {
  ticket: number;
  mode: Mode;
  owner: string;
  service: string;
  process: string;
  enqueuedAt: number;
  patienceUntil: number;
  /** Between two requests: nobody is on the line at this moment. */
  detached: boolean;
  /** How many locks it wants together: in its turn it is offered this one, and takes it once all are free. Absent for one alone. */
  setSize?: number;
}

/** One line of a lock's history. */
export interface EventRow {
  /** Sorts as text within one lock, newest last; the cursor of paging. */
  id: string;
  at: number;
  rev: number;
  kind: string;
  service: string;
  owner: string;
  token: number | null;
  waitedMs: number | null;
  heldMs: number | null;
  expiresAt: number | null;
  by: string | null;
  reason: string | null;
}

/** One entry of the audit log. `outcome` `pending`: the act has not been heard of yet. */
export interface AuditEntry {
  id: number;
  at: number;
  actor: string;
  actorKind: 'user' | 'cli' | 'system';
  address: string;
  act: string;
  namespace: string | null;
  subject: string;
  reason: string;
  seen: Record<string, unknown>;
  outcome: 'pending' | 'done' | 'changed' | 'refused' | 'failed' | 'unknown' | 'not_applied';
  result: Record<string, unknown>;
  closedAt: number | null;
}
