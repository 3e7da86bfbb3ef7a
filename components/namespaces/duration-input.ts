const UNITS: [unit: string, ms: number][] = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

/** A duration as it is entered, in the largest unit that needs no fraction. */
export function durationInput(ms: number): string {
  if (ms === 0) return '0';
  const [unit, unitMs] = UNITS.find(([, each]) => ms % each === 0) ?? ['ms', 1];
  return `${ms / unitMs}${unit}`;
}
