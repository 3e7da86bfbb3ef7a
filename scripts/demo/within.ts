import type { RangeMs } from './demo-job';

/** A random duration within a range, uniformly distributed. */
export function within([least, most]: RangeMs): number {
  return least + Math.random() * (most - least);
}
