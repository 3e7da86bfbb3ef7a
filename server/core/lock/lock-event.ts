import type { Meta, Mode } from '../../contract/primitives';

/** The kinds of events in a lock's history. */
export const EVENT_KINDS = [
  'granted',
  'reentered',
  'queued',
  'detached',
  'resumed',
  'offered',
  'withdrawn',
  'renewed',
  'released',
  'kept',
  'decremented',
  'expired',
  'forced',
  'extended',
  'timeout',
  'cancelled',
  'dropped',
  'moved',
  'late',
  'frozen',
  'unfrozen',
  'asked',
  'stopped',
  'capacity',
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

/** The kinds of events that end a hold. */
export const HOLD_ENDS: ReadonlySet<string> = new Set<EventKind>([
  'released',
  'expired',
  'forced',
  'late',
]);

/** The person who took an operator's action, and the reason. */
export interface OperatorAct {
  by: string;
  reason: string;
}

/**
 * One line of history. Events of one decision share its rev. `at` is the backend's clock as the
 * decision read it, or the deadline before that at which a hold or a wait ended.
 */
export interface LockEvent extends Partial<OperatorAct> {
  kind: EventKind;
  at: number;
  rev: number;
  service: string;
  owner: string;
  /** The hold concerned; absent for events that only concern the queue. */
  token?: number;
  mode?: Mode;
  /** How many permits the hold has or the waiter wants. */
  permits?: number;
  /**
   * How many permits may be held at the same time from now on: on `capacity` events, and on
   * `granted` and `queued` events with `permits`, except those that an earlier version wrote.
   */
  capacity?: number;
  waitedMs?: number;
  /** The longest wait: `queued` only. */
  patienceMs?: number;
  /** How long the hold that this event ended had lasted; for `unfrozen`, the freeze. */
  heldMs?: number;
  /** The new end of the lease, where the event set one. */
  expiresAt?: number;
  holdCount?: number;
  meta?: Meta;
  /** The trace of the acquire: `granted` only. */
  traceparent?: string;
}
