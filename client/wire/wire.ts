/**
 * What travels between a service and Lockyard: plain JSON. Durations end in `Ms`; instants (`…At`)
 * are epoch milliseconds on the clock of the lock's backend. Answers may gain fields.
 */

/** Why a call was refused. A contract: names never change. */
export type Reason =
  | 'INVALID'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'TOO_LARGE'
  | 'RATE_LIMITED'
  | 'NAMESPACE_FULL'
  | 'CONTENDED'
  | 'UNSUPPORTED'
  | 'BACKEND_DOWN'
  | 'UNKNOWN'
  | 'INTERNAL';

/** A lock: `namespace` is `default` unless given; `name` is byte-exact, 1 to 200 bytes of UTF-8. */
export interface LockRef {
  namespace?: string | undefined;
  name: string;
}

export interface AcquireInput extends LockRef {
  /** The caller's own name for itself, at most 100 bytes; needed again to renew and release. */
  owner: string;
  /** How long the hold lasts unless renewed: 100 ms to 24 h. */
  leaseMs: number;
  /**
   * The whole patience, over all requests with the same `requestId`: 0 (never queue) to 10 minutes.
   */
  waitMs?: number | undefined;
  /**
   * Default: exclusive. Shared holds live together; one who waits for the whole lock lets no
   * newcomer past.
   */
  mode?: Mode | undefined;
  /** Enter again where this owner holds the lock already, in the same mode. */
  reentrant?: boolean | undefined;
  /** Shown to operators, never interpreted; at most 1 KB as JSON. */
  meta?: Record<string, string> | undefined;
  /**
   * Makes asking again safe: one id is granted at most once. Needed when `waitMs` is over 25,000.
   */
  requestId?: string | undefined;
}

export interface CancelInput extends LockRef {
  owner: string;
  /** The `requestId` of the acquire that is to be undone. */
  requestId: string;
}

export interface RenewInput extends LockRef {
  owner: string;
  token: number;
  leaseMs: number;
}

export interface ReleaseInput extends LockRef {
  owner: string;
  token: number;
  requestId?: string | undefined;
}

export interface CheckInput extends LockRef {
  token: number;
}

/** Exclusive: alone. Shared: together with other shared holds. */
export type Mode = 'exclusive' | 'shared';

/** An operator's message to a lock or a holder, and its reason. */
export interface Remark {
  by: string;
  reason: string;
  at: number;
}

export interface ListInput {
  /** `default` unless given. */
  namespace?: string | undefined;
  /** Only names that begin with this, byte by byte. */
  prefix?: string | undefined;
  /** Only names after this one: the `next` of the page before. */
  after?: string | undefined;
  /** Only locks that are not free, or have waiters. */
  busy?: boolean | undefined;
  /** 1 to 1,000; 100 unless given. */
  limit?: number | undefined;
}

export interface Holder {
  owner: string;
  service: string;
  token: number;
  mode: Mode;
  holdCount: number;
  grantedAt: number;
  expiresAt: number;
  expiresInMs: number;
  /** Only where it was taken together with other locks: the same `id` for all `size` of them. */
  set?: { id: string; size: number };
}

export interface Waiter {
  /** 1 is next. */
  place: number;
  ticket: number;
  mode: Mode;
  owner: string;
  service: string;
  enqueuedAt: number;
  waitedMs: number;
  patienceLeftMs: number;
  /** Only of one that wants several locks together: how many. */
  setSize?: number;
}

export interface Granted {
  outcome: 'granted';
  /** The fencing token: rises with every grant of this lock, for ever. */
  token: number;
  rev: number;
  holdCount: number;
  expiresAt: number;
  expiresInMs: number;
  waitedMs: number;
}

/** Another holder has it. `timeout`: and the caller's patience has run out. */
export interface Held {
  outcome: 'held' | 'timeout';
  holders: Holder[];
  queueLength: number;
  retryAfterMs: number;
}

/**
 * Still waiting: ask again at once with the same `requestId`. The place is kept for 2 s without a
 * request.
 */
export interface Queued {
  outcome: 'queued';
  ticket: number;
  place: number;
  /** What is left of the patience that was asked for, over all requests with this id. */
  patienceLeftMs: number;
}

export interface QueueFull {
  outcome: 'queueFull';
  queueLength: number;
  retryAfterMs: number;
}

/**
 * This lock is not granted until an operator unfreezes it. A caller with patience is queued
 * instead.
 */
export interface Frozen {
  outcome: 'frozen';
  reason: string;
}

/** How a hold ended. `superseded`: too long ago; only its successors are remembered. */
export type EndCause = 'expired' | 'released' | 'forced' | 'superseded';

/** This request was granted once, and that hold is over. */
export interface Ended {
  outcome: 'ended';
  token: number;
  cause: EndCause;
}

export interface Lost {
  outcome: 'lost';
  cause: EndCause;
  /** The latest instant at which it surely was over. */
  at: number;
  /** Who ended it, and why, where a person did. */
  by?: string;
  reason?: string;
}

export type AcquireAnswer = Granted | Held | Queued | QueueFull | Frozen | Ended;

export type CancelAnswer = { outcome: 'cancelled' | 'released' | 'none' };

export interface Renewed {
  outcome: 'renewed';
  rev: number;
  expiresAt: number;
  expiresInMs: number;
  /** A request to release the lock early. The holder decides. */
  askedToRelease?: Remark;
  /** Renewals prolong this hold no more: `expiresAt` stays, and the hold ends then. */
  renewalsStopped?: Remark;
}

export type RenewAnswer = Renewed | Lost;

export type ReleaseAnswer =
  | { outcome: 'released' }
  | { outcome: 'decremented'; holdCount: number }
  | Lost;

export interface InspectAnswer {
  /**
   * `delayed`: in the lock-delay after a lost hold. `frozen`: no new grants, whether held or not.
   */
  state: 'free' | 'held' | 'expired' | 'delayed' | 'frozen';
  rev: number;
  holders: Holder[];
  waiters: Waiter[];
  /** Who froze it, and why. */
  frozen?: Remark;
  /** When the pause ends; only while it lasts. */
  delayedUntil?: number;
  /**
   * A resource that remembers the highest token it has seen may refuse every token below this one.
   */
  minValidToken: number;
}

/** A counter; it and a lock of the same name are two things. */
export type CounterRef = LockRef;

export interface CounterCreateInput extends CounterRef {
  /** 0 unless given; must lie within the bounds. Whole numbers below 2^53 everywhere. */
  initial?: number | undefined;
  floor?: number | undefined;
  ceiling?: number | undefined;
}

export interface CounterAddInput extends CounterRef {
  delta: number;
  /** Makes asking again safe: one id is one step. */
  requestId?: string | undefined;
}

/** A counter's value and bounds; null where it has no such bound. */
export interface CounterView {
  value: number;
  floor: number | null;
  ceiling: number | null;
}

interface CounterExists extends CounterView {
  outcome: 'exists';
}

export type CounterCreateAnswer = { outcome: 'created' } | CounterExists;

/** The step would leave the bounds. Nothing happened, nothing was clamped. */
interface OutOfBounds extends CounterView {
  outcome: 'outOfBounds';
}

export type CounterAddAnswer = { outcome: 'applied'; value: number; rev: number } | OutOfBounds;

export interface CounterGetAnswer extends CounterView {
  rev: number;
}

/**
 * One lock as the server last read it. `unknown`: its backend does not answer, and this is the last
 * good reading.
 */
export interface ListedLock {
  name: string;
  state: InspectAnswer['state'] | 'unknown';
  rev: number;
  holders: Holder[];
  queueLength: number;
  /** What is wrong with a record that cannot be read, as a sentence; absent for every other. */
  unreadable?: string;
}

/** Locks of a namespace in the order of their names: an overview, and no ground to act on. */
export interface ListAnswer {
  locks: ListedLock[];
  /** Give it as `after` for the next page; null on the last one. */
  next: string | null;
  /** How long ago the server last looked. */
  ageMs: number;
}

export interface CheckAnswer {
  /** That hold is live. */
  valid: boolean;
}
