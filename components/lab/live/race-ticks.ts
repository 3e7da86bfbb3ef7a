/** The most marks beside 0. */
const MARKS_MAX = 5;

/** Round instants of a race from 0 to its end, at equal distances. */
export function raceTicks(endMs: number): number[] {
  const rough = Math.max(1, endMs / MARKS_MAX);
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * size).find((each) => each >= rough) ?? rough;
  return Array.from({ length: Math.floor(endMs / step) + 1 }, (_, i) => i * step);
}

/** 0 s, 0.2 s, 40 s */
export const raceTickLabel = (ms: number): string => `${ms / 1_000}\u00a0s`;
