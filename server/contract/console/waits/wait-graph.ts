import type { Mode } from '../../primitives';
import type { BackendHealth } from '../backend-health';
import type { LockStatus } from '../console-terms';
import type { PastMark } from '../past/past-mark';

/**
 * The wait-for graph over all backends: who keeps whom waiting, the worst first. Instants are the
 * backend's clock of the lock that they belong to, unless they say otherwise.
 */
export interface WaitGraph {
  heads: HeadBlockerRow[];
  /** How many head blockers are left out. */
  moreHeads: number;
  /** All owners in the graph, which the rest of it names by their index here. */
  owners: GraphOwner[];
  /** All locks with waiters behind these heads, up to a limit; named by their index here. */
  locks: GraphLock[];
  /** How many callers wait, and how long they have waited together; in the whole fleet. */
  waiting: number;
  blockingMs: number;
  backends: BackendHealth[];
  /** This server's clock. */
  asOf: number;
  /** Set where it shows the past; then `asOf` is that instant. */
  past?: PastMark;
}

/** An owner that waits or keeps others waiting. */
export interface GraphOwner {
  service: string;
  owner: string;
  /** As its holds name it; null where they do not, or where it only waits. */
  host: string | null;
  pid: string | null;
  version: string | null;
  /**
   * When it last renewed one of the locks in the graph, by the server's clock; null: it never has.
   */
  renewedAt: number | null;
  /** It does several things at once, so its waits do not explain what it holds. */
  isConcurrent: boolean;
}

/** A lock with waiters. */
export interface GraphLock {
  id: string;
  namespace: string;
  name: string;
  backend: string;
  status: LockStatus;
  holders: GraphHold[];
  /** Waiters that hold other locks in the graph first, then in queue order; not all of them. */
  waiters: GraphWait[];
  /** How many wait for it. */
  waiting: number;
}

export interface GraphHold {
  owner: number;
  token: number;
  mode: Mode;
  permits?: number;
  grantedAt: number;
  expiresAt: number;
  /** The `traceparent` of the acquire that got it, of version 00; absent: it had none. */
  traceparent?: string;
}

export interface GraphWait {
  owner: number;
  ticket: number;
  mode: Mode;
  permits?: number;
  enqueuedAt: number;
  /** Until when it waits at most. */
  patienceUntil: number;
}

/** Who keeps others waiting, and is not itself kept waiting by another. */
export interface HeadBlockerRow {
  /** One, or the members of a deadlock; none for a lock that is not held, such as a frozen one. */
  owners: number[];
  deadlock: DeadlockMark | null;
  /** Its locks with waiters. */
  locks: number[];
  /** How many wait behind it, including those who wait for these. */
  waiting: number;
  /**
   * How many callers its locks, and those behind, keep from their work, and how long all of them
   * together, in ms: those who wait, and owners that were refused within the last minute, but not
   * the standbys of a leader.
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

/** A deadlock of the past, or one that has not ended. Instants are the server's clock. */
export interface DeadlockRow {
  id: string;
  /** When the last of its waits began. */
  since: number;
  foundAt: number;
  /** Null: it has not ended. */
  endedAt: number | null;
  end: DeadlockEnding | null;
  /** The operator who ended it, where one did. */
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

/** How many deadlocks are kept at most. */
export const DEADLOCKS_MAX = 1_000;

/** How a lock takes part in the wait-for graph beyond its own queue. */
export interface LockWaitPart {
  /** It is waited for in a deadlock. */
  inDeadlock: boolean;
  /** Those of its holders that wait for another lock themselves: the first few. */
  holderWaits: HolderWait[];
}

export interface HolderWait {
  owner: string;
  namespace: string;
  name: string;
  /** Who holds that lock: the first one; null: it is not held. */
  heldBy: string | null;
  /** It does several things at once, so this wait need not be what keeps it. */
  isConcurrent: boolean;
}
