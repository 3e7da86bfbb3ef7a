import type { LockState } from '../lock/answers';
import type { EndCause, HolderView } from '../primitives';

/** The party that gets the lock when an operator ends a hold. */
export type NextHolder =
  | {
      kind: 'granted' | 'offered';
      owner: string;
      service: string;
      token: number | null;
      /** Only in mode permit. */
      permits?: number;
    }
  | { kind: 'nobody' };

export type ForceReleaseAnswer =
  | { outcome: 'forced'; rev: number; token: number; next: NextHolder; queueLength: number }
  | Changed;

/**
 * Why a waiter cannot be granted the lock in place of a hold.
 *
 * - `waiterGone`: it is no longer queued: it was granted, timed out, or its caller left.
 * - `multiLock`: it wants several locks, and gets this one only together with the others.
 * - `noRoom`: it does not fit beside the other holders.
 * - `frozen`: an operator has stopped all grants.
 * - `delayed`: the namespace's lock-delay, during which there are no grants, follows a lost hold.
 */
export type ReassignObstacle = 'waiterGone' | 'multiLock' | 'noRoom' | 'frozen' | 'delayed';

export type ReassignAnswer =
  | {
      outcome: 'reassigned';
      rev: number;
      /** The token of the hold that ended. */
      token: number;
      next: Exclude<NextHolder, { kind: 'nobody' }>;
      queueLength: number;
    }
  /** The hold that the operator saw is still live. Nothing was changed. */
  | { outcome: 'notReassigned'; rev: number; obstacle: ReassignObstacle; queueLength: number }
  | Changed;

export type ExtendAnswer =
  | { outcome: 'extended'; rev: number; expiresAt: number; expiresInMs: number }
  | Changed;

/** The hold that the operator saw is no longer the current one. Nothing was changed. */
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

export type FreezeAnswer =
  | { outcome: 'frozen' | 'unfrozen' | 'unchanged'; rev: number }
  /** The freeze is not the one that the operator saw. Nothing was changed. */
  | { outcome: 'otherFreeze'; rev: number; frozen: { by: string; reason: string; at: number } };

export type SetCapacityAnswer =
  | {
      outcome: 'capacitySet';
      rev: number;
      capacity: number;
      /** How many permits are held, after the grants that the change allows. */
      inUse: number;
      queueLength: number;
    }
  /** The capacity is not the one that the operator saw; null: permits are no longer in use. */
  | { outcome: 'otherCapacity'; rev: number; capacity: number | null }
  /** A waiter wants more permits than the new capacity, and could never be granted them. */
  | { outcome: 'waiterWantsMore'; rev: number; owner: string; service: string; permits: number };

/** The person who has taken on a lock: one at a time. Instants are the server's clock. */
export interface PresenceRow {
  namespace: string;
  name: string;
  /** The token of the hold that was seen, with whose end this ends; null: the lock was not held. */
  token: number | null;
  /** The person's name. */
  actor: string;
  at: number;
  /** When it expires. */
  until: number;
}

export interface TakeOnAnswer {
  outcome: 'onIt';
  until: number;
  /** The other person who had taken on the lock until now; null: none. */
  before: string | null;
}

export interface StepBackAnswer {
  outcome: 'steppedBack' | 'nothing';
}
