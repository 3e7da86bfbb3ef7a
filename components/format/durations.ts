import { durationText, wholeSeconds } from '@/server/core/format/durations';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@/server/core/time-units';

/** How old data is: tenths of a second while it is fresh, then whole units. */
export function ageText(ms: number): string {
  const span = Math.max(0, ms);
  if (span < 10 * SECOND_MS) return `${(Math.floor(span / 100) / 10).toFixed(1)}\u00a0s`;
  return durationText(span);
}

/** Rounds down to what a duration shows, so that it is redrawn only when its text changes. */
export const displayedMs = (ms: number): number =>
  ms < 10 * SECOND_MS ? Math.floor(ms / 100) * 100 : wholeSeconds(ms);

/** A chosen time range, in its own unit: 5 min, 15 min, 1 h. */
export function rangeText(ms: number): string {
  return ms < HOUR_MS ? `${ms / MINUTE_MS}\u00a0min` : `${ms / HOUR_MS}\u00a0h`;
}

/** A latency of any size: 8.2 ms, 64 ms, 2.4 s. */
export function latencyText(ms: number): string {
  if (ms >= 999.5) return durationText(ms);
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)}\u00a0ms`;
}

/** The share of a lease that is left, 0 to 1. An extended lease with more left counts as full. */
export function shareLeft(leftMs: number, wholeMs: number): number {
  if (wholeMs <= 0) return 0;
  return Math.min(1, Math.max(0, leftMs / wholeMs));
}
