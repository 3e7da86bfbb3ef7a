import type { BenchLock } from '../bench-lock';
import { closedLoop, type Load } from '../closed-loop';

export interface LoopFigures {
  /** Whole cycles of acquire and release. */
  cycles: number;
  perSecond: number;
  /** The time from the call of the acquire to the answer of the release. */
  p50Ms: number;
  p99Ms: number;
}

/** Every caller repeats its call as soon as it is answered; refused attempts are not counted. */
export async function timedLoop(
  lock: BenchLock,
  { callers, nextLock }: Pick<Load, 'callers' | 'nextLock'>,
  forMs: number,
): Promise<LoopFigures> {
  const tookMs: number[] = [];
  const load: Load = { callers, nextLock, counts: 'cycles' };
  const perSecond = await closedLoop(lock, load, forMs, (ms) => tookMs.push(ms));
  const sorted = Float64Array.from(tookMs).sort();
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return {
    cycles: sorted.length,
    perSecond,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}
