import type { BenchLock } from './bench-lock';

export interface Load {
  callers: number;
  /** Which lock a caller tries next. */
  nextLock: () => string;
  /** What is counted: all attempts, successful or not, or whole cycles of acquire and release. */
  counts: 'attempts' | 'cycles';
}

/**
 * Every caller repeats its call as soon as it is answered. Returns what was counted per second.
 *
 * @param onCycle called with how long each whole cycle took, in milliseconds
 */
export async function closedLoop(
  lock: BenchLock,
  load: Load,
  forMs: number,
  onCycle: (tookMs: number) => void = () => undefined,
): Promise<number> {
  const startedAt = performance.now();
  let counted = 0;
  const caller = async (_: unknown, i: number) => {
    const owner = `caller-${i}`;
    for (let now = startedAt; now - startedAt < forMs; now = performance.now()) {
      const name = load.nextLock();
      const grant = await lock.tryAcquire(name, owner);
      if (load.counts === 'attempts') counted += 1;
      if (grant === null) continue;
      await lock.release(name, owner, grant);
      if (load.counts === 'cycles') counted += 1;
      onCycle(performance.now() - now);
    }
  };
  await Promise.all(Array.from({ length: load.callers }, caller));
  return (counted / (performance.now() - startedAt)) * 1_000;
}
