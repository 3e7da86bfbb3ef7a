import type { EndCause, Mode, MultiLockMark, Remark } from '../../core/lock/lock-record';

/** One live hold, as every caller with access to the namespace may see it. */
export interface HolderView {
  owner: string;
  service: string;
  token: number;
  mode: Mode;
  holdCount: number;
  grantedAt: number;
  expiresAt: number;
  expiresInMs: number;
  /** The multi-lock that it was granted with. */
  set?: MultiLockMark;
}

/** One place in the queue. */
export interface WaiterView {
  place: number;
  ticket: number;
  mode: Mode;
  owner: string;
  service: string;
  enqueuedAt: number;
  waitedMs: number;
  patienceLeftMs: number;
  /** How many locks it wants together. */
  setSize?: number;
}

export interface Granted {
  outcome: 'granted';
  token: number;
  rev: number;
  holdCount: number;
  expiresAt: number;
  expiresInMs: number;
  waitedMs: number;
}

export interface Held {
  outcome: 'held' | 'timeout';
  holders: HolderView[];
  queueLength: number;
  retryAfterMs: number;
}

export interface Queued {
  outcome: 'queued';
  ticket: number;
  place: number;
  /** What is left of the requested wait, over all requests with this id. */
  patienceLeftMs: number;
}

/**
 * How a hold ended, for a caller that still relies on it. `at`: the latest instant at which it
 * surely was over.
 */
export interface Lost {
  outcome: 'lost';
  cause: EndCause;
  at: number;
  by?: string;
  reason?: string;
}

export type AcquireAnswer =
  | Granted
  | Held
  | Queued
  | { outcome: 'queueFull'; queueLength: number; retryAfterMs: number }
  | { outcome: 'frozen'; reason: string }
  | { outcome: 'ended'; token: number; cause: EndCause };

export type CancelAnswer = { outcome: 'cancelled' | 'released' | 'none' };

/** Operators' messages to a holder, delivered with its next renewal. */
export interface HolderMessages {
  /** An operator asks it to release. The holder decides. */
  askedToRelease?: Remark;
  /** Renewals no longer extend this hold: `expiresAt` stays, and the hold ends then. */
  renewalsStopped?: Remark;
}

export interface Renewed extends HolderMessages {
  outcome: 'renewed';
  rev: number;
  expiresAt: number;
  expiresInMs: number;
}

export type RenewAnswer = Renewed | Lost;

export type ReleaseAnswer =
  | { outcome: 'released' }
  | { outcome: 'decremented'; holdCount: number }
  | Lost;

/**
 * What a lock is right now. `expired`: its last hold expired and there was no grant since.
 * `delayed`: in the pause after a lost hold. `frozen`: no new grants, whether or not it is held.
 */
export type LockState = 'free' | 'held' | 'expired' | 'delayed' | 'frozen';

export interface InspectAnswer {
  state: LockState;
  rev: number;
  holders: HolderView[];
  waiters: WaiterView[];
  frozen?: Remark;
  /** When the pause ends; only while it lasts. */
  delayedUntil?: number;
  /**
   * A resource that remembers the highest token it has seen may reject every token below this one.
   */
  minValidToken: number;
}

/**
 * One lock as this process last read it. `unknown`: its backend does not respond, or its record
 * cannot be read.
 */
export interface ListedLock {
  name: string;
  state: LockState | 'unknown';
  rev: number;
  holders: HolderView[];
  queueLength: number;
  /** Why a record cannot be read, as a sentence; absent for readable ones. */
  unreadable?: string;
}

/** Locks of one namespace, by name in byte order. */
export interface ListAnswer {
  locks: ListedLock[];
  /** The name after which the next page starts; null on the last one. */
  next: string | null;
  /** The age of the list: since the start of this process's last successful check for changes. */
  ageMs: number;
}

export interface CheckAnswer {
  /** The hold is live. */
  valid: boolean;
}

/** Who gets the lock after a force-release. */
export type NextHolder =
  | { kind: 'granted' | 'offered'; owner: string; service: string; token: number | null }
  | { kind: 'nobody' };

export type ForceReleaseAnswer =
  | { outcome: 'forced'; rev: number; token: number; next: NextHolder; queueLength: number }
  | Changed;

export type ExtendAnswer =
  | { outcome: 'extended'; rev: number; expiresAt: number; expiresInMs: number }
  | Changed;

/** The hold that the operator saw is no longer the current one. Nothing happened. */
export interface Changed {
  outcome: 'changed';
  rev: number;
  state: LockState;
  holders: HolderView[];
  queueLength: number;
  /** How the hold that the operator saw ended, if that is still known. */
  ended: { cause: EndCause; at: number; by?: string; reason?: string };
}

export type ReleaseRequestAnswer = { outcome: 'told'; rev: number } | Changed;

export type FreezeAnswer = { outcome: 'frozen' | 'unfrozen' | 'unchanged'; rev: number };
