import type { EndCause, Meta, Mode, MultiLockMark, Remark } from '../../contract/primitives';
import { sinceEra } from '../fencing-token';
import { isSameParty, type Party } from '../party';

/**
 * How many callers may hold one lock at the same time, in mode shared or permit; others wait. It
 * keeps the record small.
 */
export const SHARED_MAX = 200;

/** How often its owner may enter a hold. */
export const HOLD_COUNT_MAX = 1_000;

/**
 * How many waiters that left without an answer a record remembers: a full queue by default. So many
 * can return to a queue that is full by then.
 */
export const DEPARTED_MAX = 200;

/** One grant, owned by (service, owner, token) together. Instants are the backend's clock. */
export interface Hold {
  token: number;
  mode: Mode;
  /** How many permits it has; present in mode permit only. */
  permits?: number;
  service: string;
  owner: string;
  /** How often the owner has entered: 1, or more after re-entries. */
  count: number;
  /** The lease as granted or last renewed. */
  leaseMs: number;
  grantedAt: number;
  renewedAt: number;
  renewals: number;
  /** Set for a past hold if some of its events are unknown: then `renewals` is a lower bound. */
  areRenewalsPartial?: true;
  expiresAt: number;
  waitedMs: number;
  /** The rev of its grant. */
  rev: number;
  meta: Meta;
  /** Keys of the requests that must get their stored answer while this hold lives. */
  requests: string[];
  /** Until when the store keeps those answers, and those of partial releases; past its end. */
  requestsKeptUntil: number;
  /** An operator asked the holder to release; delivered with its next renewal. */
  askedToRelease: Remark | null;
  /** Renewals no longer extend this hold: it ends with its lease. */
  renewalsStopped: Remark | null;
  /** The multi-lock that it was granted with; absent for a single lock. */
  set?: MultiLockMark;
  /**
   * Granted to a waiter whose caller can repeat its request id, and has sent nothing since. Only
   * the process that made the grant can have answered it.
   */
  isUnclaimed?: boolean;
  /**
   * The lock stays taken at least until then, even if the holder releases it sooner; absent: no
   * longer than it is held. Never past the end of the lease as granted or renewed.
   */
  keptUntil?: number;
  /**
   * When its holder released it before `keptUntil`, which is its `expiresAt` since. The lock is
   * still taken, but has no owner: no renewal, re-entry or release changes the hold.
   */
  releasedAt?: number;
  /** The `traceparent` of the acquire, of version 00; absent: it had none. */
  traceparent?: string;
  /** The `traceparent` of the hold that this one waited for, if that was of the same service. */
  waitedForTraceparent?: string;
}

/** One queued acquire. The process where its caller waits keeps the rest of its input. */
export interface Waiter {
  /** Rises within one lock; a lower ticket is served first. */
  ticket: number;
  mode: Mode;
  /** How many permits it wants; present in mode permit only. */
  permits?: number;
  service: string;
  owner: string;
  /** Which request this is: see `requestFingerprint`. */
  tag: string;
  /** The process where its caller waits. */
  process: string;
  enqueuedAt: number;
  patienceMs: number;
  /** Set while it has no open request: it keeps its place until then. */
  detachedUntil: number | null;
  /** For a multi-lock: how many locks it wants. Such a waiter gets offers, never grants. */
  setSize?: number;
}

/**
 * A waiter that left the queue without an answer, for example because its process died. If its
 * request is repeated, it gets a new place, with the age and the timeout of the old one.
 */
export interface DepartedWaiter extends Pick<Waiter, 'tag' | 'enqueuedAt' | 'patienceMs'> {
  /** When it is forgotten. */
  until: number;
  /** The mark of its owner: see `markOf`. Absent if an older version wrote the record. */
  ownerMark?: string;
}

/** Reserves the lock for a waiter whose turn it is, until its own process claims it. */
export interface Offer {
  ticket: number;
  /** When it expires. A waiter between two requests has until `detachedUntil` instead. */
  until: number;
}

/** How many permits of a lock may be held at the same time. */
export interface PermitCapacity {
  /** The capacity that grants obey. */
  inForce: number;
  /** The capacity that the first caller named; an operator's change does not affect it. */
  named: number;
}

/** The last hold that ended, kept so that its holder can learn why. */
export interface EndedHold {
  token: number;
  service: string;
  owner: string;
  cause: EndCause;
  grantedAt: number;
  at: number;
  by?: string;
  reason?: string;
  /** The `traceparent` of the hold. */
  traceparent?: string;
}

/**
 * Everything about one lock. Small and versioned; only `decide` and `decideMultiLock` change it.
 * `checkLockRecord` checks its invariants.
 */
export interface LockRecord {
  /** +1 for every accepted change. Never restarts: a missing record begins at the clock. */
  rev: number;
  lastToken: number;
  lastTicket: number;
  /** One exclusive hold, or any number of shared ones, or of permit holds. */
  holds: Hold[];
  offers: Offer[];
  ended: EndedHold | null;
  queue: Waiter[];
  /** At most `DEPARTED_MAX`, the last to leave first; those that left together in queue order. */
  departed: DepartedWaiter[];
  /** While set, there are no new grants; renewals and releases work, waiters keep their places. */
  frozen: Remark | null;
  /** The pause after a lost hold, or a restored backup: no grant before this instant. 0: none. */
  delayedUntil: number;
  /**
   * Until when the store may keep answers that concern this lock; 0: it keeps none. Null: unknown,
   * since an older version wrote the record.
   */
  answersUntil: number | null;
  /** Null: no hold has permits, and no waiter wants any. Read it with `capacityOf`. */
  capacity: PermitCapacity | null;
}

/**
 * The record of a lock that was never written, or was deleted.
 *
 * @param grantsFrom see `DecidingPolicy`
 */
export function unwrittenRecord(now: number, grantsFrom = 0): LockRecord {
  return {
    rev: sinceEra(now),
    lastToken: 0,
    lastTicket: 0,
    holds: [],
    offers: [],
    ended: null,
    queue: [],
    departed: [],
    frozen: null,
    delayedUntil: grantsFrom > now ? grantsFrom : 0,
    answersUntil: 0,
    capacity: null,
  };
}

/** A copy to change. Written out by hand, since a spread costs as much as a decision. */
export function copyOf(record: LockRecord): LockRecord {
  const { rev, lastToken, lastTicket, holds, offers, ended, queue } = record;
  const { departed, frozen, delayedUntil, answersUntil, capacity } = record;
  return {
    rev,
    lastToken,
    lastTicket,
    holds,
    offers,
    ended,
    queue,
    departed,
    frozen,
    delayedUntil,
    answersUntil,
    capacity,
  };
}

/** Whether its holder has released it, so that it only keeps the lock taken until `keptUntil`. */
export function isReleased({ releasedAt }: Pick<Hold, 'releasedAt'>): boolean {
  return releasedAt !== undefined;
}

/** Whether a hold belongs to this caller and has not been released. */
export function isOwnOf(hold: Hold, caller: Party): boolean {
  return isSameParty(hold, caller) && !isReleased(hold);
}

/** The hold with this token, live or not. */
export function holdOf({ holds }: LockRecord, token: number): Hold | undefined {
  return holds.find((hold) => hold.token === token);
}

/** The waiter with this ticket. */
export function waiterAt({ queue }: LockRecord, ticket: number): Waiter | undefined {
  return queue.find((waiter) => waiter.ticket === ticket);
}

/** Whether the lock is offered to the waiter with this ticket. */
export function hasOffer({ offers }: Pick<LockRecord, 'offers'>, ticket: number): boolean {
  return offers.some((offer) => offer.ticket === ticket);
}

/** The holds that are live at `now`, without those that have expired but are still recorded. */
export function liveHolds(record: LockRecord | null, now: number): Hold[] {
  return record?.holds.filter((hold) => hold.expiresAt > now) ?? [];
}
