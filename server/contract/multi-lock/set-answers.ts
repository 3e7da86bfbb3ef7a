import type { EndCause, Mode } from '../../core/lock/lock-record';
import type { HolderView, LockState } from '../lock/answers';

/** One hold of a set: an ordinary one, renewed and released by its own token. */
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

/** A lock that a set cannot have for now. */
export interface BlockedBy {
  name: string;
  state: LockState;
  holders: HolderView[];
  /** How many wait there, the set itself not counted. */
  queueLength: number;
}

export interface SetGranted {
  outcome: 'granted';
  /** One for each lock, by name. */
  grants: SetGrant[];
}

export interface SetHeld {
  outcome: 'held' | 'timeout';
  blockedBy: BlockedBy[];
  retryAfterMs: number;
}

/** Waiting in the queue of one lock, and holding nothing meanwhile. */
export interface SetQueued {
  outcome: 'queued';
  /** The lock whose queue it stands in; another one later, perhaps. */
  name: string;
  ticket: number;
  place: number;
  /** What is left of the patience that was asked for, over all requests with this id. */
  patienceLeftMs: number;
  blockedBy: BlockedBy[];
}

/** A replay of which some holds are over. */
export interface SetEnded {
  outcome: 'ended';
  ended: { name: string; token: number; cause: EndCause }[];
  /** Those that are live still. */
  grants: SetGrant[];
}

export type AcquireSetAnswer =
  | SetGranted
  | SetHeld
  | SetQueued
  | SetEnded
  | { outcome: 'queueFull'; name: string; queueLength: number; retryAfterMs: number }
  | { outcome: 'frozen'; name: string; reason: string };

export type SetAnswer =
  | AcquireSetAnswer
  | { outcome: 'cancelled' | 'released' | 'none' }
  | { outcome: 'withdrawn' | 'gone' };
