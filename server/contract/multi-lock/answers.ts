import type { EndCause, Mode } from '../../core/lock/lock-record';
import type { HolderView, LockState } from '../lock/answers';

/** One hold of a multi-lock: an ordinary one, renewed and released by its own token. */
export interface MultiLockGrant {
  name: string;
  mode: Mode;
  token: number;
  rev: number;
  holdCount: number;
  expiresAt: number;
  expiresInMs: number;
  waitedMs: number;
}

/** A lock that currently blocks a multi-lock. */
export interface BlockedBy {
  name: string;
  state: LockState;
  holders: HolderView[];
  /** How many wait there, without the multi-lock itself. */
  queueLength: number;
}

export interface MultiLockGranted {
  outcome: 'granted';
  /** One for each lock, by name. */
  grants: MultiLockGrant[];
}

export interface MultiLockHeld {
  outcome: 'held' | 'timeout';
  blockedBy: BlockedBy[];
  retryAfterMs: number;
}

/** In the queue of one lock, and holding nothing meanwhile. */
export interface MultiLockQueued {
  outcome: 'queued';
  /** The lock in whose queue it is; it may move to another one later. */
  name: string;
  ticket: number;
  place: number;
  /** What is left of the requested wait, over all requests with this id. */
  patienceLeftMs: number;
  blockedBy: BlockedBy[];
}

/** A replay of a multi-lock of which some holds are over. */
export interface MultiLockEnded {
  outcome: 'ended';
  ended: { name: string; token: number; cause: EndCause }[];
  /** Those still live. */
  grants: MultiLockGrant[];
}

export type AcquireManyAnswer =
  | MultiLockGranted
  | MultiLockHeld
  | MultiLockQueued
  | MultiLockEnded
  | { outcome: 'queueFull'; name: string; queueLength: number; retryAfterMs: number }
  | { outcome: 'frozen'; name: string; reason: string };

export type MultiLockAnswer =
  | AcquireManyAnswer
  | { outcome: 'cancelled' | 'released' | 'none' }
  | { outcome: 'withdrawn' | 'gone' };
