import type { CounterEvent } from '../counter/counter-event';
import { type EventKind, HOLD_ENDS, type LockEvent } from '../lock/lock-event';
import { MINUTE_MS, WEEK_MS } from '../time-units';
import { LogHistogram } from './log-histogram';

/** How many events of each counted kind a lock had. */
export interface EventCounts {
  /** New holds, also those reverted immediately as `late`. Re-entries and renewals do not count. */
  grants: number;
  /** Waits that timed out. */
  timeouts: number;
  /** Holds that expired. */
  expiries: number;
  /** Holds that an operator ended. */
  forced: number;
  /** Attempts that were refused: they leave no event of the lock; each process counts them. */
  refused: number;
}

/**
 * The events of one or more locks within one minute of the backend's clock. An event belongs to the
 * minute of its `at`, which for an expiry is the deadline.
 */
export interface MinuteRollup extends Rollup {
  /** The instant at which the minute begins, epoch milliseconds. */
  minute: number;
  /** The part of `holds` that an operator ended; absent: none. It is not stored separately. */
  forcedHolds?: LogHistogram;
}

/** The counts of events in a period. `D` is the type that counts durations. */
export interface Rollup<D = LogHistogram> extends EventCounts {
  /** The wait of each grant; 0 ms without a wait. Waits that ended without a grant do not count. */
  waits: D;
  /** The duration of each hold that ended in this period, other than as `late`. */
  holds: D;
}

interface Durations {
  add(durationMs: number): void;
  addAll(other: this): void;
}

export function emptyRollup(minute: number): MinuteRollup {
  return { minute, ...emptyCounts(() => new LogHistogram()) };
}

export function emptyCounts<D>(newDurations: () => D): Rollup<D> {
  const durations = { waits: newDurations(), holds: newDurations() };
  return { grants: 0, timeouts: 0, expiries: 0, forced: 0, refused: 0, ...durations };
}

/** The start of the minute of an event or another instant. */
export function minuteOf({ at }: { at: number }): number {
  return Math.floor(at / MINUTE_MS) * MINUTE_MS;
}

/** The count to which an event of each kind adds. */
const COUNTED = {
  granted: 'grants',
  timeout: 'timeouts',
  expired: 'expiries',
  forced: 'forced',
} as const satisfies Partial<Record<EventKind, keyof EventCounts>>;

/** The events that end a hold, except one that was never of use. */
const ENDINGS: ReadonlySet<string> = new Set([...HOLD_ENDS].filter((kind) => kind !== 'late'));

/** Whether an event changes a roll-up. Most do not, such as renewals and all events of counters. */
export function isRolledUp(event: LockEvent | CounterEvent): event is LockEvent {
  return event.kind in COUNTED || ENDINGS.has(event.kind);
}

/** Counts an event. */
export function addEvent(rollup: Rollup<Pick<Durations, 'add'>>, event: LockEvent): void {
  const { kind, waitedMs = 0, heldMs = 0 } = event;
  if (kind in COUNTED) rollup[COUNTED[kind as keyof typeof COUNTED]] += 1;
  if (kind === 'granted') rollup.waits.add(waitedMs);
  if (ENDINGS.has(kind)) rollup.holds.add(heldMs);
}

/** Counts an event of one lock, also for `usualHolds`. */
export function addLockEvent(rollup: MinuteRollup, event: LockEvent): void {
  addEvent(rollup, event);
  if (event.kind !== 'forced') return;
  rollup.forcedHolds ??= new LogHistogram();
  rollup.forcedHolds.add(event.heldMs ?? 0);
}

/**
 * The holds that make up the baseline, without those that an operator ended: their length only
 * shows when the operator acted, and one that was stuck for days would hide the next one.
 */
export function usualHolds({ holds, forcedHolds }: MinuteRollup): LogHistogram {
  if (!forcedHolds) return holds;
  const usual = LogHistogram.merge(holds);
  usual.removeAll(forcedHolds);
  return usual;
}

/** Adds all counts of another roll-up. */
export function addRollup<D extends Durations>(rollup: Rollup<D>, other: Rollup<D>): void {
  rollup.grants += other.grants;
  rollup.timeouts += other.timeouts;
  rollup.expiries += other.expiries;
  rollup.forced += other.forced;
  rollup.refused += other.refused;
  rollup.waits.addAll(other.waits);
  rollup.holds.addAll(other.holds);
}

/** The start of the week of an instant: Thursday, 0:00 UTC. */
export function weekOf(at: number): number {
  return Math.floor(at / WEEK_MS) * WEEK_MS;
}
