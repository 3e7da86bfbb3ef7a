import type { LockState } from '../lock/answers';
import type { EndCause, HolderView } from '../primitives';

/** Who gets the lock after a force-release. */
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

export type SetCapacityAnswer =
  | {
      outcome: 'capacitySet';
      rev: number;
      capacity: number;
      /** How many permits are held, after the grants that the change allows. */
      inUse: number;
      queueLength: number;
    }
  /** The capacity is not the one that the operator saw; null: no permits are in use any more. */
  | { outcome: 'otherCapacity'; rev: number; capacity: number | null }
  /** A waiter wants more permits than that, and would wait in vain. */
  | { outcome: 'waiterWantsMore'; rev: number; owner: string; service: string; permits: number };
