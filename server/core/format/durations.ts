import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../time-units';
import { exactCount } from './numbers';

/** One figure and its unit, separate so that the unit can be drawn less prominently. */
export interface DurationPart {
  value: string;
  unit: 'ms' | 's' | 'm' | 'h' | 'd';
}

const two = (value: number) => String(value).padStart(2, '0');

/** A duration in at most two units: 740 ms, 6.1 s, 4 m 12 s, 9 d 4 h. Negative counts as zero. */
export function durationParts(ms: number): DurationPart[] {
  const span = Math.max(0, Math.floor(ms));
  if (span < SECOND_MS) return [{ value: String(span), unit: 'ms' }];
  if (span < 10 * SECOND_MS) {
    return [{ value: (Math.floor(span / 100) / 10).toFixed(1), unit: 's' }];
  }
  if (span < MINUTE_MS) return [{ value: String(Math.floor(span / SECOND_MS)), unit: 's' }];
  if (span < HOUR_MS) {
    return [
      { value: String(Math.floor(span / MINUTE_MS)), unit: 'm' },
      { value: two(Math.floor((span % MINUTE_MS) / SECOND_MS)), unit: 's' },
    ];
  }
  if (span < DAY_MS) {
    return [
      { value: String(Math.floor(span / HOUR_MS)), unit: 'h' },
      { value: two(Math.floor((span % HOUR_MS) / MINUTE_MS)), unit: 'm' },
    ];
  }
  return [
    { value: String(Math.floor(span / DAY_MS)), unit: 'd' },
    { value: String(Math.floor((span % DAY_MS) / HOUR_MS)), unit: 'h' },
  ];
}

/** A duration in at most two units as one text without line breaks. */
export function durationText(ms: number): string {
  return durationParts(ms)
    .map(({ value, unit }) => `${value}\u00a0${unit}`)
    .join('\u00a0');
}

/** A duration without fractions of a second, for sentences: 0 s, 6 s, 4 m 12 s. */
export function spokenDuration(ms: number): string {
  const span = Math.max(0, ms);
  if (span < 10 * SECOND_MS) return `${Math.floor(span / SECOND_MS)}\u00a0s`;
  return durationText(span);
}

/** A duration that is over, for sentences: 88 ms, 6 s, 4 m 12 s. */
export function pastDuration(ms: number): string {
  return ms < SECOND_MS ? durationText(ms) : spokenDuration(ms);
}

/** A duration that goes on, for sentences: less than 1 s, 6 s, 4 m 12 s. */
export function runningDuration(ms: number): string {
  return ms < SECOND_MS ? 'less than 1\u00a0s' : spokenDuration(ms);
}

const SHORT_UNITS: [ms: number, unit: string][] = [
  [DAY_MS, 'd'],
  [HOUR_MS, 'h'],
  [MINUTE_MS, 'm'],
];

/** A duration in its largest unit only, rounded down, for small spaces: 6 s, 4 m, 3 h, 9 d. */
export function shortDuration(ms: number): string {
  const unit = SHORT_UNITS.find(([each]) => ms >= each);
  return unit ? `${Math.floor(ms / unit[0])}\u00a0${unit[1]}` : spokenDuration(ms);
}

/**
 * An instant or a duration in milliseconds, rounded down to a whole second, so that a text made
 * from it changes once a second.
 */
export function wholeSeconds(ms: number): number {
  return Math.floor(ms / SECOND_MS) * SECOND_MS;
}

/** How long ago something was, in words: just now, 6 s ago. */
export function agoText(ms: number): string {
  return ms < SECOND_MS ? 'just now' : `${spokenDuration(ms)} ago`;
}

const MINUS = '\u2212';

/** A countdown: 00:26, 1:04:10, and −00:38 after its end. */
export function countdownText(leftMs: number): string {
  const isPast = leftMs < 0;
  const seconds = Math.floor(Math.abs(leftMs) / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const clock =
    hours > 0
      ? `${hours}:${two(minutes % 60)}:${two(seconds % 60)}`
      : `${two(minutes)}:${two(seconds % 60)}`;
  return isPast ? `${MINUS}${clock}` : clock;
}

const BOUND_UNITS: [ms: number, unit: string][] = [
  [HOUR_MS, 'h'],
  [MINUTE_MS, 'min'],
  [SECOND_MS, 's'],
  [1, 'ms'],
];

/** A configured duration, in the largest unit that expresses it exactly. */
export function boundText(ms: number): string {
  const [size, unit] = BOUND_UNITS.find(([each]) => ms % each === 0) ?? [1, 'ms'];
  return `${exactCount(ms / size)}\u00a0${unit}`;
}

const oneDigit = (value: number) => (Math.round(value * 10) / 10).toFixed(1);

/** A baseline, which needs less precision than a reading: 41 s, 3 m 20 s, 35 m, 3.4 h, 2.5 d. */
export function baselineText(ms: number): string {
  if (ms < 10 * MINUTE_MS) return durationText(ms);
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}\u00a0m`;
  if (ms < DAY_MS) return `${oneDigit(ms / HOUR_MS)}\u00a0h`;
  return `${oneDigit(ms / DAY_MS)}\u00a0d`;
}

/** A multiple of a baseline: 0.4 ×, 9.3 ×, 31 ×. A baseline under 1 ms counts as 1 ms. */
export function factorText(ms: number, baselineMs: number): string {
  const factor = ms / Math.max(1, baselineMs);
  const text =
    factor < 10
      ? (Math.floor(factor * 10) / 10).toFixed(1)
      : Math.floor(factor).toLocaleString('en-US');
  return `${text}\u202f×`;
}
