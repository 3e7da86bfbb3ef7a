import type { RefusalCounts } from '../../core/statistics/refusal-counts';
import type { BlockedCallers } from '../../core/status/blocking-time';
import type { LivenessVerdict, OrphanReason } from '../../core/status/holder-liveness';
import type { AttentionTier } from '../../core/status/lock-status';
import type { StuckReason } from '../../core/status/stuck-reason';
import type { NamespacePolicy } from '../namespace-policy';
import type { EndCause, Meta, Mode, MultiLockMark, PermitUse, Remark } from '../primitives';
import type { BackendHealth } from './backend-health';
import type { LockStatus } from './console-terms';
import type { HoldBaseline } from './insight-row';
import type { PastMark } from './past/past-mark';
import type { LockWaitPart } from './waits/wait-graph';

/** One line of the lock list. Instants are the backend's clock. */
export interface LockRow {
  /** Stable and unique over all backends. */
  id: string;
  namespace: string;
  name: string;
  backend: string;
  rev: number;
  status: LockStatus;
  /** How urgently it needs a person; absent: it needs none. */
  tier?: AttentionTier;
  /** Set exactly while the status is `stuck`. */
  stuck: StuckReason | null;
  /** Set exactly while the status is `orphaned`. */
  orphaned?: OrphanReason;
  /**
   * If several share the lock: the one for which it is stuck or expiring, or whose process is dead;
   * else the one that will end last, not released if any is not.
   */
  hold: HoldRow | null;
  /** How many holders the lock had when it was read. */
  holders: number;
  /** Absent unless a hold or a waiter is in mode permit. */
  permits?: PermitUse;
  frozen: Remark | null;
  /** The lock-delay: no grant before this instant; 0 for none. */
  delayedUntil: number;
  /** The last hold that ended. For a held lock it is null unless an operator ended that hold. */
  ended: {
    owner: string;
    service: string;
    token: number;
    cause: EndCause;
    grantedAt: number;
    at: number;
  } | null;
  waiters: number;
  /** When the longest waiter arrived; null if there are no waiters. */
  oldestWaitAt: number | null;
  /**
   * The callers that this lock keeps from work, for `totalBlockingMs` at any instant of its
   * backend's clock; absent: none.
   */
  blocked?: BlockedCallers;
  /** By how many waiters a minute the queue grows, negative if it shrinks; absent: it is steady. */
  queueTrend?: number;
  /**
   * Attempts that were answered `held` or `queueFull`, at all processes together, up to a few
   * seconds ago: during the present hold, counted by whole minutes, or within the last minute.
   * Absent: none.
   */
  refused?: RefusedAttempts;
  /** The lock's baseline; null while it has too little history. */
  ownHold: HoldBaseline | null;
  /**
   * While the lock has no baseline: the one of all locks of its namespace together. Absent where
   * that has too little history too.
   */
  namespaceHold?: HoldBaseline;
  /** When this row was read from its backend, on the backend's clock. */
  readAt: number;
  /** Why a record cannot be read, as a sentence; absent for readable ones. */
  unreadable?: string;
}

/** Refused attempts in brief. Instants are the backend's clock. */
export interface RefusedAttempts {
  attempts: number;
  /** How many owners made them. */
  owners: number;
  /** Whether there were more owners, who are not counted by name. */
  areMore: boolean;
  lastAt: number;
}

export interface HoldRow {
  token: number;
  mode: Mode;
  /** Only in mode permit. */
  permits?: number;
  service: string;
  owner: string;
  holdCount: number;
  leaseMs: number;
  grantedAt: number;
  renewedAt: number;
  renewals: number;
  /** Only in the past, where there may have been more renewals than are known. */
  areRenewalsPartial?: true;
  expiresAt: number;
  waitedMs: number;
  meta: Meta;
  askedToRelease: Remark | null;
  renewalsStopped: Remark | null;
  /** Until when the lock stays taken at least; absent: no longer than it is held. */
  keptUntil?: number;
  /** When its holder released it, before `keptUntil`: the lock frees at `expiresAt`. */
  releasedAt?: number;
  /** The multi-lock that it was granted with; absent for a single lock. */
  set?: MultiLockMark;
  /**
   * The `traceparent` of the acquire that got it, of version 00; absent: it had none. Only on a
   * lock's own page, as the next one.
   */
  traceparent?: string;
  /** The same for the hold of its service that it waited for. */
  waitedForTraceparent?: string;
  /** Whether its process is alive. Only on a lock's own page, and not for a released hold. */
  liveness?: LivenessVerdict;
  /**
   * How many other locks its process holds, as far as this server knows. Only on a lock's own page,
   * and where the hold names its process completely.
   */
  alsoHolds?: number;
}

/** A user's window into the lock list: filtered, sorted on the server, with counts of all locks. */
export interface LockPage {
  /** The matching locks at `offset`, `offset + 1`, … */
  rows: LockRow[];
  offset: number;
  /** The ranking behind the order; changes with each ranking. Rows of two must not be mixed. */
  ranking: string;
  /** How many locks match the filter. */
  matching: number;
  /** All locks by status, whatever the filter. */
  counts: Record<LockStatus, number>;
  total: number;
  waiting: number;
  /** How many locks need attention now: those to act on, unknown ones, those to watch. */
  attention: number;
  backends: BackendHealth[];
  namespaces: string[];
  /** All live lists together exceed their share of this process, so updates come less often. */
  slowed: boolean;
  /** This server's clock when the page was made, epoch milliseconds. */
  asOf: number;
  /** Set where the page shows the past; then `asOf` is that instant. */
  past?: PastMark;
}

/** A lock as its own page shows it. */
export interface LockDetail {
  row: LockRow;
  /** All holders, in the order of their grants. */
  holds: HoldRow[];
  waiters: WaiterRow[];
  /** What `row.refused` sums up, by owner; absent: none. */
  refusals?: RefusalCounts;
  lastToken: number;
  minValidToken: number;
  backend: BackendHealth;
  policy: NamespacePolicy;
  /** Absent while it has no waiters. */
  waitPart?: LockWaitPart;
  asOf: number;
  /** False if the backend did not respond: then this is the last known state. */
  fresh: boolean;
  /** Set where it shows the past; then `asOf` is that instant. */
  past?: PastMark;
}

export interface WaiterRow {
  ticket: number;
  mode: Mode;
  /** Only in mode permit. */
  permits?: number;
  owner: string;
  service: string;
  process: string;
  enqueuedAt: number;
  patienceUntil: number;
  /** Between two requests: its caller is currently not connected. */
  detached: boolean;
  /** How many locks it wants together: it is offered this one until all are free. Absent: one. */
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
  /** How many permits the hold has or the waiter wants; null in other modes. */
  permits: number | null;
  /** How many permits may be held at once from now on; null unless an operator changed that. */
  capacity: number | null;
  by: string | null;
  reason: string | null;
}
