import type { LivenessVerdict } from '../../../core/status/holder-liveness';
import type { Mode } from '../../primitives';
import type { BackendHealth, RecordKeeper } from '../backend-health';
import type { LockStatus } from '../console-terms';
import type { PastMark } from '../past/past-mark';
import type { HolderFigures } from './holder-figures';

/** Processes that hold locks or wait for them, those that keep others waiting first. */
export interface HoldersPage {
  /** The text searched for; empty: all processes are listed. */
  search: string;
  /** At most `PROCESSES_SHOWN`. */
  rows: ProcessRow[];
  /** How many processes the search finds, including those that are not listed. */
  found: number;
  /** The services of these rows, counting all of their processes. */
  services: ServiceRow[];
  /** Figures of all processes, whatever the search. */
  figures: HolderFigures;
  /** The number of processes that hold a lock. */
  processes: number;
  /** The number of their holds. */
  holds: number;
  waiting: number;
  /** The sum of the ages of all waits, in ms. */
  blockingMs: number;
  backends: BackendHealth[];
  /** This server's clock. */
  asOf: number;
  /** Set if it shows the past; then `asOf` is that instant. */
  past?: PastMark;
}

export const PROCESSES_SHOWN = 200;
/** The longest text that processes can be searched for, in UTF-16 code units. */
export const HOLDER_SEARCH_MAX = 200;
/** How many locks of one process are shown, and can be released together. */
export const PROCESS_LOCKS_SHOWN = 200;

export interface ServiceRow {
  service: string;
  processes: number;
  holds: number;
}

/**
 * A process of a service, as its holds name it in `meta`, or an owner if they name none. Instants
 * are this server's clock.
 */
export interface ProcessRow {
  id: string;
  service: string;
  /** The first few of its owners. */
  owners: string[];
  ownerCount: number;
  host: string | null;
  pid: string | null;
  version: string | null;
  holds: number;
  /** How many callers its locks with waiters block, and the total blocking time in ms. */
  blocked: number;
  blockingMs: number;
  /** The first few locks that it waits for; `waits` counts all of them. */
  waitsFor: { namespace: string; name: string; backend: string; since: number }[];
  waits: number;
  /** Its oldest hold of those that were examined; null if it holds none. */
  oldest: OldestHold | null;
  /** When it last renewed a lock; null: it has renewed none. */
  renewedAt: number | null;
  /** Whether it is alive, by those of its holds that were examined; null if it holds none. */
  verdict: LivenessVerdict | null;
  /** Whether it waits in a deadlock. */
  inDeadlock: boolean;
  /** The backends of its locks that do not respond, or reject requests. */
  silentBackends: string[];
  /** The namespaces of the examined locks and of those that it waits for, each once. */
  places: { namespace: string; backend: string }[];
}

/** The oldest hold of a process. Instants are this server's clock. */
export interface OldestHold {
  grantedAt: number;
  /** When its backend last responded, if it does not respond now; otherwise null. */
  knownUntil: number | null;
}

/** One process with its locks. Instants of a lock are the clock of its keeper. */
export interface ProcessDetail {
  row: ProcessRow;
  /** At most `PROCESS_LOCKS_SHOWN`, those with waiters first. */
  locks: HeldLock[];
  waits: ProcessWait[];
  backends: BackendHealth[];
  asOf: number;
  past?: PastMark;
}

export interface HeldLock extends RecordKeeper {
  namespace: string;
  name: string;
  status: LockStatus;
  rev: number;
  owner: string;
  token: number;
  mode: Mode;
  permits?: number;
  grantedAt: number;
  leaseMs: number;
  renewedAt: number;
  renewals: number;
  expiresAt: number;
  waiters: number;
  oldestWaitAt: number | null;
  /** The waiter that is served first if this hold ends; null: none, or there is no room for it. */
  next: { owner: string; service: string; setSize?: number } | null;
  /** The number of its other holders. */
  sharedWith: number;
  /** Whether the lock is frozen, so that no grant follows. */
  isFrozen: boolean;
  /** The lock-delay of the namespace, during which no grant follows; 0: none. */
  delayMs: number;
  /** The size of the multi-lock that it belongs to; absent: none. */
  setSize?: number;
  /** The `traceparent` of the acquire, of version 00; absent: it had none. */
  traceparent?: string;
}

export interface ProcessWait extends RecordKeeper {
  namespace: string;
  name: string;
  owner: string;
  mode: Mode;
  enqueuedAt: number;
  patienceUntil: number;
  /** From 1. */
  place: number;
  waiting: number;
  /** The first few owners that hold the lock. */
  holders: string[];
}
