import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@/server/core/time-units';

const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 20, 30].map((count) => count * SECOND_MS),
  ...[1, 2, 5, 10, 20, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 4, 8, 12].map((count) => count * HOUR_MS),
  ...[1, 2, 5, 10, 20].map((count) => count * DAY_MS),
];

const INTERVALS = 3;

/** Round durations from 0 to the first that is at least `maxMs`, for an axis of three lines. */
export function durationTicks(maxMs: number): number[] {
  const step = STEPS.find((each) => each * INTERVALS >= maxMs) ?? Math.ceil(maxMs / INTERVALS);
  return Array.from({ length: INTERVALS + 1 }, (_, i) => i * step);
}

/** Round counts from 0, likewise. */
export function countTicks(max: number): number[] {
  const rough = Math.max(1, max / INTERVALS);
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * size).find((each) => each >= rough) ?? rough;
  return Array.from({ length: INTERVALS + 1 }, (_, i) => i * step);
}

const UNITS: [ms: number, unit: string][] = [
  [DAY_MS, 'd'],
  [HOUR_MS, 'h'],
  [MINUTE_MS, 'm'],
  [SECOND_MS, 's'],
];

/** A duration beside an axis, in one unit: 0, 500 ms, 1.5 s, 2 m. */
export function tickLabel(ms: number): string {
  if (ms <= 0) return '0';
  const [size, unit] = UNITS.find(([each]) => ms >= each) ?? [1, 'ms'];
  return `${Math.round((ms / size) * 10) / 10}\u00a0${unit}`;
}
