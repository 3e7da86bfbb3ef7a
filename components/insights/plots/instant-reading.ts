import type { HoldBar, LockTimeline } from '@/server/contract/console/past/lock-timeline';
import { instantsOf, type Span } from '../incident-timeline';

/** The values of an incident's charts at one instant. Durations are in ms. */
export interface InstantReading {
  /** The ages of all waits, added up. */
  blockingMs: number;
  /** The age of the oldest wait; null: there was none. */
  oldestMs: number | null;
  /** How long the lock had been held; null: it was not held. */
  heldMs: number | null;
  /** Attempts refused by then, of those that the timeline has. */
  refused: number;
  /** How long ago the last of them was; null: there was none yet. */
  lastRefusedMs: number | null;
}

/** One instant of the holds. */
export interface HoldPoint {
  at: number;
  heldMs: number | null;
}

/** The state at an instant of an incident, by the clock of the lock's backend. */
export function readingAt(
  { holds, waits, refused, to }: Pick<LockTimeline, 'holds' | 'waits' | 'refused' | 'to'>,
  at: number,
): InstantReading {
  const ages = agesAt(waits, at, to);
  const begun = refused.filter((bar) => bar.from <= at);
  const last = begun.at(-1);
  return {
    blockingMs: ages.reduce((sum, age) => sum + age, 0),
    oldestMs: oldestOf(ages),
    heldMs: heldAt(holds, at, to),
    refused: begun.reduce((sum, { attempts }) => sum + attempts, 0),
    lastRefusedMs: last ? Math.max(0, at - last.to) : null,
  };
}

/** How long the lock had been held, over a span in `steps` equal steps. */
export function holdSeries(
  { holds, to }: Pick<LockTimeline, 'holds' | 'to'>,
  span: Span,
  steps: number,
): HoldPoint[] {
  return instantsOf(span, steps).map((at) => ({ at, heldMs: heldAt(holds, at, to) }));
}

/** The age of the oldest wait, over a span in `steps` equal steps; 0 where there was none. */
export function oldestSeries(
  { waits, to }: Pick<LockTimeline, 'waits' | 'to'>,
  span: Span,
  steps: number,
): { at: number; ms: number }[] {
  return instantsOf(span, steps).map((at) => ({
    at,
    ms: oldestOf(agesAt(waits, at, to)) ?? 0,
  }));
}

/**
 * The ages, at an instant, of the bars that cover it.
 *
 * @param now the end of bars without an end
 */
function agesAt(
  bars: readonly { from: number; to: number | null }[],
  at: number,
  now: number,
): number[] {
  return bars
    .filter(({ from, to }) => from <= at && (to ?? now) >= at)
    .map(({ from }) => at - from);
}

const oldestOf = (ages: number[]) => (ages.length === 0 ? null : Math.max(...ages));

/** The age of the oldest hold. A bar of several short holds is not counted as one long hold. */
function heldAt(holds: readonly HoldBar[], at: number, now: number): number | null {
  const long = holds.filter(({ count }) => count === 1);
  return oldestOf(agesAt(long, at, now));
}

/**
 * The holds that ended in a span: when, and how long each was; the average if a bar has several.
 */
export function endedHolds(
  { holds }: Pick<LockTimeline, 'holds'>,
  span: Span,
): { at: number; ms: number }[] {
  return holds.flatMap(({ from, to, count }) =>
    to === null || to < span.from || to > span.to ? [] : [{ at: to, ms: (to - from) / count }],
  );
}

/** A logarithmic scale that includes all values and covers at least one power of ten. */
export function logScale(values: readonly number[]): (value: number) => number {
  const known = values.filter((value) => value >= 1);
  const high = Math.max(10, ...known) * 1.3;
  const low = Math.max(1, Math.min(high / 10, ...known.map((value) => value / 1.3)));
  const width = Math.log(high) - Math.log(low);
  return (value) =>
    Math.min(1, Math.max(0, (Math.log(Math.max(1, value)) - Math.log(low)) / width));
}
