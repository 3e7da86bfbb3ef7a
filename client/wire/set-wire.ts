import type { EndCause, Holder, Mode } from './wire';

/** What travels about several locks at once: see `wire.ts`. */

export interface AcquireManyInput {
  /** `default` unless given. */
  namespace?: string | undefined;
  /** 2 to 20 of one namespace, each once, in any order. */
  locks: { name: string; mode?: Mode | undefined }[];
  /** As for a single acquire; needed again to renew and release each of them. */
  owner: string;
  leaseMs: number;
  /**
   * The whole patience, over all requests with the same `requestId`. While it waits, it holds
   * nothing.
   */
  waitMs?: number | undefined;
  meta?: Record<string, string> | undefined;
  /**
   * Makes asking again safe: one id is granted at most once. Needed when `waitMs` is over 25,000.
   */
  requestId?: string | undefined;
}

export interface CancelManyInput {
  namespace?: string | undefined;
  /** Of the very locks that were asked for, in any order. */
  names: string[];
  owner: string;
  requestId: string;
}

/** One hold of a set: renewed and released by its own name and token. */
export interface SetGrant {
  name: string;
  mode: Mode;
  token: number;
  rev: number;
  holdCount: number;
  expiresAt: number;
  expiresInMs: number;
  waitedMs: number;
}

/** A lock that cannot be had for now. `free` with a queue: others wait there. */
export interface BlockedBy {
  name: string;
  state: 'free' | 'held' | 'expired' | 'delayed' | 'frozen';
  holders: Holder[];
  queueLength: number;
}

export interface SetGranted {
  outcome: 'granted';
  /** All of them, by name. */
  grants: SetGrant[];
}

/** Not all of them can be had, so none is. `timeout`: and the patience is over. */
export interface SetHeld {
  outcome: 'held' | 'timeout';
  blockedBy: BlockedBy[];
  retryAfterMs: number;
}

/**
 * Still waiting: ask again at once with the same `requestId`. The place is kept for 2 s without a
 * request.
 */
export interface SetQueued {
  outcome: 'queued';
  /** The lock in whose queue it waits; this may change later. */
  name: string;
  ticket: number;
  place: number;
  patienceLeftMs: number;
  blockedBy: BlockedBy[];
}

/** As many wait for that lock already as may. */
export interface SetQueueFull {
  outcome: 'queueFull';
  name: string;
  queueLength: number;
  retryAfterMs: number;
}

/**
 * This lock is not granted until an operator unfreezes it. A caller with patience is queued
 * instead.
 */
export interface SetFrozen {
  outcome: 'frozen';
  name: string;
  reason: string;
}

/** This request was granted once, and not all of its holds are live any more. */
export interface SetEnded {
  outcome: 'ended';
  ended: { name: string; token: number; cause: EndCause }[];
  /** Those that are live still. */
  grants: SetGrant[];
}

export type AcquireManyAnswer =
  | SetGranted
  | SetHeld
  | SetQueued
  | SetEnded
  | SetQueueFull
  | SetFrozen;
