import type { LivenessVerdict } from '../../../core/status/holder-liveness';
import type { Mode } from '../../primitives';
import type { BackendHealth } from '../backend-health';
import type { LockStatus } from '../console-terms';
import type { PastMark } from '../past/past-mark';
import type { HolderFigures } from './holder-figures';

/** Who holds locks and who waits, by process: those that keep others waiting first. */
export interface HoldersPage {
  /** What the processes were searched for; empty: all are listed. */
  search: string;
  /** At most `PROCESSES_SHOWN`. */
  rows: ProcessRow[];
  /** How many processes the search finds, those that are not listed included. */
  found: number;
  /** The services of these rows, with all of their processes. */
  services: ServiceRow[];
  /** Figures of all processes, whatever the search. */
  figures: HolderFigures;
  /** All that hold a lock. */
  processes: number;
  /** How many holds they have together. */
  holds: number;
  waiting: number;
  /** The ages of all waits added up, in ms. */
  blockingMs: number;
  backends: BackendHealth[];
  /** This server's clock. */
  asOf: number;
  /** Set where it shows the past; then `asOf` is that instant. */
  past?: PastMark;
}

export const PROCESSES_SHOWN = 200;
/** The longest text that processes can be searched for, in UTF-16 code units. */
export const HOLDER_SEARCH_MAX = 200;
/** How many locks of one process are shown, and can be released at once. */
export const PROCESS_LOCKS_SHOWN = 200;

export interface ServiceRow {
  service: string;
  processes: number;
  holds: number;
}

/**
 * A process of a service, as its holds name it in `meta`; an owner, where they name none. Instants
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
  /** How many callers its locks with waiters keep from their work, and how long together, in ms. */
  blocked: number;
  blockingMs: number;
  /** What it waits for: the first few, and how many. */
  waitsFor: { namespace: string; name: string; backend: string; since: number }[];
  waits: number;
  /** Its oldest hold, of those that were looked at; null if it holds none. */
  oldest: OldestHold | null;
  /** When it last renewed a lock; null: it has renewed none. */
  renewedAt: number | null;
  /** Whether it is alive, by those of its holds that were looked at; null if it holds none. */
  verdict: LivenessVerdict | null;
  /** It waits in a deadlock. */
  inDeadlock: boolean;
  /** Backends that keep its locks and do not respond. */
  silentBackends: string[];
  /** The places of the examined locks, and of those that it waits for; each once. */
  places: { namespace: string; backend: string }[];
}

/** On this server's clock. */
export interface OldestHold {
  grantedAt: number;
  /** When its backend answered last, where that does not respond; null where it does. */
  knownUntil: number | null;
}

/** One process with its locks. Instants of a lock are the clock of its backend. */
export interface ProcessDetail {
  row: ProcessRow;
  /** At most `PROCESS_LOCKS_SHOWN`; those that are waited for first. */
  locks: HeldLock[];
  waits: ProcessWait[];
  backends: BackendHealth[];
  asOf: number;
  past?: PastMark;
}

export interface HeldLock {
  namespace: string;
  name: string;
  backend: string;
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
  /** Who is served first if this hold ends; null: no waiter, or no room for the first one. */
  next: { owner: string; service: string; setSize?: number } | null;
  /** How many others hold it too. */
  sharedWith: number;
  /** The lock is frozen, so that no grant follows. */
  isFrozen: boolean;
  /** How long no grant follows, because of the namespace's lock delay; 0: it has none. */
  delayMs: number;
  /** The size of the multi-lock that it belongs to. */
  setSize?: number;
  /** The `traceparent` of the acquire that got it, of version 00; absent: it had none. */
  traceparent?: string;
}

export interface ProcessWait {
  namespace: string;
  name: string;
  backend: string;
  owner: string;
  mode: Mode;
  enqueuedAt: number;
  patienceUntil: number;
  /** From 1. */
  place: number;
  waiting: number;
  /** The owners that hold it: the first few. */
  holders: string[];
}
