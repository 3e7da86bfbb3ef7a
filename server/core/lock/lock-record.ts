import { sinceEra } from '../fencing-token';

/** What a caller says about itself with a hold; shown to operators, never interpreted. */
export type Meta = Record<string, string>;

/** Exclusive: alone. Shared: together with other shared holds. */
export type Mode = 'exclusive' | 'shared';

/** Which grants were made together: all of one `id`, `size` of them. */
export interface SetMark {
  id: string;
  size: number;
}

/** What a person told a lock or a holder, and why. */
export interface Remark {
  by: string;
  reason: string;
  at: number;
}

/** Why a hold is over. `superseded`: it ended so long ago that only its successors are remembered. */
export type EndCause = 'expired' | 'released' | 'forced' | 'superseded';

/** One grant. It belongs to (service, owner, token), all three. Instants are the backend's clock, epoch milliseconds. */
export interface Hold {
  token: number;
  mode: Mode;
  service: string;
  owner: string;
  /** How often the owner has entered: 1, or more where it asked to re-enter. */
  count: number;
  /** The lease as granted or last renewed. */
  leaseMs: number;
  grantedAt: number;
  renewedAt: number;
  renewals: number;
  expiresAt: number;
  waitedMs: number;
  /** The rev that granted it. */
  rev: number;
  meta: Meta;
  /** Keys of the request ids that must be answered from memory while this hold lives. */
  requests: string[];
  /** Until when the store keeps those answers, and those of releases that leave it held: never sooner than its lease ends. */
  requestsKeptUntil: number;
  /** Somebody asked the holder to let go; it is told at its next renewal. */
  askedToRelease: Remark | null;
  /** Renewals prolong this hold no more: it ends with its lease. */
  renewalsStopped: Remark | null;
  /** The set that it was granted with; absent for a lock that was taken alone. */
  set?: SetMark;
  /**
   * Handed to a waiter whose caller may ask again by its request id, and has not been heard of since: nobody but the process
   * that granted it can have told of it.
   */
  isUnclaimed?: boolean;
}

/** One queued acquire. What it asked for stays with the process whose caller waits; the record keeps its place. */
export interface Waiter {
  /** Rises within one lock; a lower ticket is served first. */
  ticket: number;
  mode: Mode;
  service: string;
  owner: string;
  /** Which request this is: see `request-tag.ts`. */
  tag: string;
  /** The process at which its caller waits. */
  process: string;
  enqueuedAt: number;
  patienceMs: number;
  /** Set while no request is open for it: until then it keeps its place. */
  detachedUntil: number | null;
  /** How many locks it wants together; absent for one alone. Then its turn is only ever offered to it. */
  setSize?: number;
}

/** A place at the lock held back for a waiter whose turn it is: its caller waits at another process, or for a set. */
export interface Offer {
  ticket: number;
  /** When it is lost, unless its waiter is between two requests: that one has until `detachedUntil`. */
  until: number;
}

/** The last hold that ended, kept so that its holder can be told why. */
export interface EndedHold {
  token: number;
  service: string;
  owner: string;
  cause: EndCause;
  grantedAt: number;
  at: number;
  by?: string;
  reason?: string;
}

/**
 * The whole truth about one lock. Small, versioned; changed only by `decide`.
 * Invariants: tickets rise along the queue; an exclusive hold is alone; an exclusive offer is alone, and no hold is
 * beside it; offers name waiters of the queue.
 */
export interface LockRecord {
  /** +1 for every accepted change. Never restarts: a record that is not found begins at the clock. */
  rev: number;
  lastToken: number;
  lastTicket: number;
  /** One exclusive hold, or any number of shared ones. */
  holds: Hold[];
  offers: Offer[];
  ended: EndedHold | null;
  queue: Waiter[];
  /** No new grants while it is set; renewals and releases go on, waiters keep their places. */
  frozen: Remark | null;
  /** The pause after a hold that was lost, or after a restored backup: no grant before this instant. 0: none. */
  delayedUntil: number;
  /**
   * Until when the store may remember answers that concern this lock; 0: it remembers none. Null: not known, since an
   * older version wrote the record.
   */
  answersUntil: number | null;
}

/**
 * The record of a lock that was never written, or was forgotten.
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
    frozen: null,
    delayedUntil: grantsFrom > now ? grantsFrom : 0,
    answersUntil: 0,
  };
}

/** A copy to be changed. Written out: with so many changes under way, copying by spreading costs as much as a decision. */
export function copyOf(record: LockRecord): LockRecord {
  const { rev, lastToken, lastTicket, holds, offers, ended, queue, frozen } = record;
  const { delayedUntil, answersUntil } = record;
  return {
    rev,
    lastToken,
    lastTicket,
    holds,
    offers,
    ended,
    queue,
    frozen,
    delayedUntil,
    answersUntil,
  };
}

/** The holds that are live at `now`. A lease whose time has run out belongs to nobody, even if nobody noticed yet. */
export function liveHolds(record: LockRecord | null, now: number): Hold[] {
  return record?.holds.filter((hold) => hold.expiresAt > now) ?? [];
}
