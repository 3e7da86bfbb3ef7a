import { durationText } from './durations';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const oneDigit = (value: number) => (Math.round(value * 10) / 10).toFixed(1);

/**
 * A span that others are measured by, which needs less precision than a reading: 41 s, 3 m 20 s, 35
 * m, 3.4 h, 2.5 d.
 */
export function baselineText(ms: number): string {
  if (ms < 10 * MINUTE_MS) return durationText(ms);
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}\u00a0m`;
  if (ms < DAY_MS) return `${oneDigit(ms / HOUR_MS)}\u00a0h`;
  return `${oneDigit(ms / DAY_MS)}\u00a0d`;
}

/**
 * How many times its yardstick something is: 0.4 ×, 9.3 ×, 31 ×. A yardstick under a millisecond
 * counts as one.
 */
export function factorText(ms: number, baselineMs: number): string {
  const factor = ms / Math.max(1, baselineMs);
  return `${factor < 10 ? (Math.floor(factor * 10) / 10).toFixed(1) : Math.floor(factor).toLocaleString('en-US')}\u202f×`;
}
