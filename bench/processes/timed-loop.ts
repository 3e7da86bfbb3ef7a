import type { BenchLock } from '../bench-lock';
import type { Load } from '../closed-loop';

export interface LoopFigures {
  /** Whole cycles of acquire and release. */
  cycles: number;
  perSecond: number;
  /** From the call of the acquire to the answer of the release. */
  p50Ms: number;
  p99Ms: number;
}

/** Every caller goes on as fast as it is answered; attempts that are refused count as nothing. */
export async function timedLoop(
  lock: BenchLock,
  { callers, nextLock }: Pick<Load, 'callers' | 'nextLock'>,
  forMs: number,
): Promise<LoopFigures> {
  const startedAt = performance.now();
  const tookMs: number[] = [];
  const caller = async (_: unknown, i: number) => {
    const owner = `caller-${i}`;
    for (let now = startedAt; now - startedAt < forMs; ) {
      const name = nextLock();
      const grant = await lock.tryAcquire(name, owner);
      if (grant !== null) await lock.release(name, owner, grant);
      const answeredAt = performance.now();
      if (grant !== null) tookMs.push(answeredAt - now);
      now = answeredAt;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const seconds = (performance.now() - startedAt) / 1_000;
  const sorted = Float64Array.from(tookMs).sort();
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return {
    cycles: sorted.length,
    perSecond: sorted.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}
