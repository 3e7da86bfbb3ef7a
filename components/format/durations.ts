/** One figure with its unit, so that the unit can step back. */
export interface DurationPart {
  value: string;
  unit: 'ms' | 's' | 'm' | 'h' | 'd';
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const two = (value: number) => String(value).padStart(2, '0');

/**
 * A length of time in at most two units: 740 ms, 6.1 s, 47 s, 4 m 12 s, 3 h 26 m, 9 d 4 h. Below
 * zero counts as zero.
 */
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

/** The same as one text, without a place to break. */
export function durationText(ms: number): string {
  return durationParts(ms)
    .map(({ value, unit }) => `${value}\u00a0${unit}`)
    .join('\u00a0');
}

/**
 * In whole seconds at least, for sentences that are read rather than watched: 0 s, 6 s, 4 m 12 s.
 */
export function spokenDuration(ms: number): string {
  const span = Math.max(0, ms);
  if (span < 10 * SECOND_MS) return `${Math.floor(span / SECOND_MS)}\u00a0s`;
  return durationText(span);
}

/** How old data is: tenths of a second while it is fresh, then whole units. */
export function ageText(ms: number): string {
  const span = Math.max(0, ms);
  if (span < 10 * SECOND_MS) return `${(Math.floor(span / 100) / 10).toFixed(1)}\u00a0s`;
  return durationText(span);
}

/** How long ago something was, in words: just now, 6 s ago. */
export function agoText(ms: number): string {
  return ms < SECOND_MS ? 'just now' : `${spokenDuration(ms)} ago`;
}

/** A chosen time range, in its own unit: 5 min, 15 min, 1 h. */
export function rangeText(ms: number): string {
  return ms < HOUR_MS ? `${ms / MINUTE_MS}\u00a0min` : `${ms / HOUR_MS}\u00a0h`;
}
