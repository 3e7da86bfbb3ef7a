const RUNS = 15;

/** The time of the shortest of 15 runs, in ms: a busy machine can only make a run longer. */
export function quickestMs(work: () => void): number {
  const times = Array.from({ length: RUNS }, () => {
    const from = performance.now();
    work();
    return performance.now() - from;
  });
  return Math.min(...times);
}
