import type { Mode } from '../../primitives';
import type { BackendHealth, RecordKeeper } from '../backend-health';
import type { LockStatus } from '../console-terms';
import type { PastMark } from '../past/past-mark';

/**
 * The wait-for graph over all backends, the worst blocker first. Instants are the clock of the
 * keeper of the lock concerned, unless stated otherwise.
 */
export interface WaitGraph {
  heads: HeadBlockerRow[];
  /** The number of other head blockers. */
  moreHeads: number;
  /** All owners in the graph, which refers to them by their index here. */
  owners: GraphOwner[];
  /** The locks with waiters behind these heads, up to a limit; referred to by their index here. */
  locks: GraphLock[];
  /** The number of waiting callers in the whole fleet, and the sum of their waits in ms. */
  waiting: number;
  blockingMs: number;
  backends: BackendHealth[];
  /** This server's clock. */
  asOf: number;
  /** Set if it shows the past; then `asOf` is that instant. */
  past?: PastMark;
}

/** An owner that waits or keeps others waiting. */
export interface GraphOwner {
  service: string;
  owner: string;
  /** As its holds name them; null if they do not, or if it only waits. */
  host: string | null;
  pid: string | null;
  version: string | null;
  /**
   * When it last renewed one of the locks in the graph, by the server's clock; null: it never has.
   */
  renewedAt: number | null;
  /** Whether it does several things at the same time, so that its waits may not block its holds. */
  isConcurrent: boolean;
}

/** A lock with waiters. */
export interface GraphLock extends RecordKeeper {
  id: string;
  namespace: string;
  name: string;
  status: LockStatus;
  holders: GraphHold[];
  /** Some waiters: those that hold other locks in the graph first, then in queue order. */
  waiters: GraphWait[];
  /** The number of all its waiters. */
  waiting: number;
}

export interface GraphHold {
  owner: number;
  token: number;
  mode: Mode;
  permits?: number;
  grantedAt: number;
  expiresAt: number;
  /** The `traceparent` of the acquire, of version 00; absent: it had none. */
  traceparent?: string;
}

export interface GraphWait {
  owner: number;
  ticket: number;
  mode: Mode;
  permits?: number;
  enqueuedAt: number;
  /** When it times out. */
  patienceUntil: number;
}

/** The cause of a chain of waits, which does not wait itself: see `HeadBlocker`. */
export interface HeadBlockerRow {
  /** One, or the members of a deadlock; none for a lock that is not held, such as a frozen one. */
  owners: number[];
  deadlock: DeadlockMark | null;
  /** Its locks with waiters. */
  locks: number[];
  /** The number of waiters of these locks and of those behind them. */
  waiting: number;
  /**
   * How many callers these locks and those behind them block, and the total blocking time in ms:
   * waiters, and owners that were refused within the last minute, but not the standbys of a leader.
   */
  blocked: number;
  blockingMs: number;
  /** The most severe status among its locks. */
  status: LockStatus;
}

/** A deadlock that has not ended. Instants are this server's clock. */
export interface DeadlockMark {
  id: string;
  since: number;
  foundAt: number;
  /** The cycle: each owner waits for the lock, which the owner of the next step holds. */
  steps: { owner: number; lock: number; token: number }[];
}

export const DEADLOCK_ENDS = ['forced', 'expired', 'waitEnded', 'released', 'unseen'] as const;
/** How a deadlock ended; `unseen`: no server was watching. */
export type DeadlockEnding = (typeof DEADLOCK_ENDS)[number];

/** A deadlock, ended or not. Instants are the server's clock. */
export interface DeadlockRow {
  id: string;
  /** When the last of its waits began. */
  since: number;
  foundAt: number;
  /** Null: it has not ended. */
  endedAt: number | null;
  end: DeadlockEnding | null;
  /** The operator who ended it; null: none did. */
  by: string | null;
  /** How many callers waited for its locks when it was found. */
  waiting: number;
  steps: DeadlockStepRow[];
}

/** An owner, and the lock for which it waited; the owner of the next step held it. */
export interface DeadlockStepRow {
  service: string;
  owner: string;
  namespace: string;
  name: string;
  backend: string;
}

/** A lock that is waited for in a deadlock that has not ended. */
export interface DeadlockedLock {
  namespace: string;
  name: string;
}

/** How many deadlocks are stored at most. */
export const DEADLOCKS_MAX = 1_000;

/** The part of a lock in the wait-for graph beyond its own queue. */
export interface LockWaitPart {
  /** Whether it is waited for in a deadlock. */
  inDeadlock: boolean;
  /** The first few of its holders that wait for another lock themselves. */
  holderWaits: HolderWait[];
}

export interface HolderWait {
  owner: string;
  namespace: string;
  name: string;
  /** The first holder of that lock; null: it is not held. */
  heldBy: string | null;
  /** Whether it does several things at the same time, so that this wait may not block it. */
  isConcurrent: boolean;
}
