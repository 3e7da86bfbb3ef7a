import type { RangeMs } from './demo-job';

/** A random duration of a range, uniformly distributed. */
export function within([least, most]: RangeMs): number {
  return least + Math.random() * (most - least);
}
