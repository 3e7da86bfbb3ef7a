import type { CounterEvent } from '../counter/counter-event';

/** How a counter's value moved within one minute of its backend's clock. */
export interface CounterMinute {
  /** The instant at which the minute begins, epoch milliseconds. */
  minute: number;
  /** How many times the value changed. */
  changes: number;
  /** The sums of all increases and of all decreases, both at least 0. */
  added: number;
  removed: number;
  /** The value after the last event. */
  value: number;
}

/**
 * The largest sum of steps; sums are capped at it. A larger one would not be exact and, in the end,
 * would not fit its column.
 */
export const STEPS_MAX = Number.MAX_SAFE_INTEGER;

/**
 * Counts an event. The events of one counter must come in the order of their revs. From its
 * creation on, nothing is left of the counter that had its name before.
 */
export function addCounterEvent(sum: CounterMinute, event: CounterEvent): void {
  const { kind, delta = 0, value } = event;
  if (kind === 'created') Object.assign(sum, emptyCounterMinute(sum.minute));
  sum.value = value;
  if (delta === 0) return;
  sum.changes += 1;
  if (delta > 0) sum.added = Math.min(STEPS_MAX, sum.added + delta);
  else sum.removed = Math.min(STEPS_MAX, sum.removed - delta);
}

export function emptyCounterMinute(minute: number): CounterMinute {
  return { minute, changes: 0, added: 0, removed: 0, value: 0 };
}

/**
 * One row for each minute, oldest first. A minute in which the counter moved to another shard has a
 * part from each of the two: the later part begins with the value with which the earlier one ends.
 */
export function wholeMinutes(parts: readonly CounterMinute[]): CounterMinute[] {
  const whole = new Map<number, CounterMinute>();
  for (const part of parts) {
    const known = whole.get(part.minute);
    const isEarlier = known !== undefined && part.value === valueBefore(known);
    const [first, last] = isEarlier ? [part, known] : [known, part];
    whole.set(part.minute, first ? sumOf(first, last) : last);
  }
  return [...whole.values()].sort((a, b) => a.minute - b.minute);
}

/** The value before the first event of the minute. */
export const valueBefore = ({ value, added, removed }: CounterMinute): number =>
  value - added + removed;

const sumOf = (first: CounterMinute, last: CounterMinute): CounterMinute => ({
  minute: first.minute,
  changes: first.changes + last.changes,
  added: Math.min(STEPS_MAX, first.added + last.added),
  removed: Math.min(STEPS_MAX, first.removed + last.removed),
  value: last.value,
});
