import type { RefusalCounts } from '../../core/statistics/refusal-counts';
import type { BlockedCallers } from '../../core/status/blocking-time';
import type { LivenessVerdict, OrphanReason } from '../../core/status/holder-liveness';
import type { AttentionTier } from '../../core/status/lock-status';
import type { StuckReason } from '../../core/status/stuck-reason';
import type { NamespacePolicy } from '../namespace-policy';
import type { EndCause, Meta, Mode, MultiLockMark, PermitUse, Remark } from '../primitives';
import type { BackendHealth, RecordKeeper } from './backend-health';
import type { LockStatus } from './console-terms';
import type { HoldBaseline } from './insight-row';
import type { PastMark } from './past/past-mark';
import type { LockWaitPart } from './waits/wait-graph';

/** One row of the lock list. Instants are the clock of its keeper. */
export interface LockRow extends RecordKeeper {
  /** Stable and unique over all backends. */
  id: string;
  namespace: string;
  name: string;
  rev: number;
  status: LockStatus;
  /** How urgently it needs a person; absent: it needs none. */
  tier?: AttentionTier;
  /** Set exactly while the status is `stuck`. */
  stuck: StuckReason | null;
  /** Set exactly while the status is `orphaned`. */
  orphaned?: OrphanReason;
  /**
   * If several callers share the lock: the hold for which it is stuck or expiring, or whose process
   * is dead; otherwise the one that expires last, of those that have not been released if there are
   * any.
   */
  hold: HoldRow | null;
  /** The number of holders when the lock was read. */
  holders: number;
  /** Absent unless a hold or a waiter is in mode permit. */
  permits?: PermitUse;
  frozen: Remark | null;
  /** No grant before this instant, after a lost hold, a restore or a data loss; 0: none. */
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
  /** The start of the longest wait; null if there are no waiters. */
  oldestWaitAt: number | null;
  /**
   * The callers that this lock blocks, for `totalBlockingMs` at any instant of its backend's clock;
   * absent: none.
   */
  blocked?: BlockedCallers;
  /** By how many waiters a minute the queue grows (negative: shrinks); absent: it is steady. */
  queueTrend?: number;
  /**
   * Attempts that were answered `held` or `queueFull` at any process up to a few seconds ago:
   * during the present hold, counted by whole minutes, or within the last minute. Absent: none.
   */
  refused?: RefusedAttempts;
  /** The lock's baseline; null while it has too little history. */
  ownHold: HoldBaseline | null;
  /**
   * While the lock has no baseline: that of all locks of its namespace together; absent if they
   * have too little history as well.
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
  /** Whether there were more owners, which are not counted by name. */
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
  /** Only of a past hold: there may have been more renewals than are known. */
  areRenewalsPartial?: true;
  expiresAt: number;
  waitedMs: number;
  meta: Meta;
  askedToRelease: Remark | null;
  renewalsStopped: Remark | null;
  /** The lock stays taken at least until then; absent: no longer than it is held. */
  keptUntil?: number;
  /** When its holder released it, before `keptUntil`: the lock frees at `expiresAt`. */
  releasedAt?: number;
  /** The multi-lock that it was granted with; absent for a single lock. */
  set?: MultiLockMark;
  /**
   * The `traceparent` of the acquire, of version 00; absent: it had none. This and the next field
   * only on a lock's own page.
   */
  traceparent?: string;
  /** The `traceparent` of the hold that this one waited for, if that was of the same service. */
  waitedForTraceparent?: string;
  /** Whether its process is alive. Only on a lock's own page, and not for a released hold. */
  liveness?: LivenessVerdict;
  /**
   * How many other locks its process holds, as far as this server knows. Only on a lock's own page,
   * and if the hold names its process completely.
   */
  alsoHolds?: number;
}

/** A window of the lock list, filtered and sorted on the server, with counts of all locks. */
export interface LockPage {
  /** The matching locks at `offset`, `offset + 1`, … */
  rows: LockRow[];
  offset: number;
  /** Identifies the ranking that the order is from. Rows of two rankings must not be mixed. */
  ranking: string;
  /** How many locks match the filter. */
  matching: number;
  /** All locks by status, whatever the filter. */
  counts: Record<LockStatus, number>;
  total: number;
  waiting: number;
  /** How many locks need attention now: all except those in the tier `normal`. */
  attention: number;
  backends: BackendHealth[];
  namespaces: string[];
  /** Whether updates are less frequent, since all live lists exceed their share of this process. */
  slowed: boolean;
  /** This server's clock when the page was made, epoch milliseconds. */
  asOf: number;
  /** Set if the page shows the past; then `asOf` is that instant. */
  past?: PastMark;
}

/** A lock as its own page shows it. */
export interface LockDetail {
  row: LockRow;
  /** All holders, in the order of their grants. */
  holds: HoldRow[];
  waiters: WaiterRow[];
  /** The attempts of `row.refused` by owner; absent: none. */
  refusals?: RefusalCounts;
  lastToken: number;
  minValidToken: number;
  /** The health of the shard if it has shards, under the backend's id. */
  backend: BackendHealth;
  policy: NamespacePolicy;
  /** Absent while it has no waiters. */
  waitPart?: LockWaitPart;
  asOf: number;
  /** False if the backend did not respond: then this is the last known state. */
  fresh: boolean;
  /** Set if it shows the past; then `asOf` is that instant. */
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
  /** Whether it is between two requests, so that its caller is not connected. */
  detached: boolean;
  /** For a multi-lock: how many locks it wants. It is offered this one until all are free. */
  setSize?: number;
}

/** One event in a lock's history. */
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
  /** The capacity from now on; null unless an operator changed it. */
  capacity: number | null;
  by: string | null;
  reason: string | null;
}
