import { exactCount } from './counts';

const UNITS: [ms: number, unit: string][] = [
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
  [1, 'ms'],
];

/** A configured duration, in the largest unit that expresses it exactly. */
export function boundText(ms: number): string {
  const [size, unit] = UNITS.find(([each]) => ms % each === 0) ?? [1, 'ms'];
  return `${exactCount(ms / size)}\u00a0${unit}`;
}
