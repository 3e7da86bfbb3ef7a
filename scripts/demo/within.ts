import type { RangeMs } from './demo-job';

/** Any duration of a range, each as likely. */
export function within([least, most]: RangeMs): number {
  return least + Math.random() * (most - least);
}
