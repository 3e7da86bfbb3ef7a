import type { BenchLock } from './bench-lock';

export interface Load {
  callers: number;
  /** Which lock a caller tries next. */
  nextLock: () => string;
  /** What is counted: attempts, whether or not they won, or whole cycles of acquire and release. */
  counts: 'attempts' | 'cycles';
}

/** Every caller goes on as fast as it is answered. Returns what was counted per second. */
export async function closedLoop(lock: BenchLock, load: Load, forMs: number): Promise<number> {
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt >= forMs;
  let counted = 0;
  const caller = async (_: unknown, i: number) => {
    const owner = `caller-${i}`;
    while (!isOver()) {
      const name = load.nextLock();
      const grant = await lock.tryAcquire(name, owner);
      if (load.counts === 'attempts') counted += 1;
      if (grant === null) continue;
      await lock.release(name, owner, grant);
      if (load.counts === 'cycles') counted += 1;
    }
  };
  await Promise.all(Array.from({ length: load.callers }, caller));
  return (counted / (performance.now() - startedAt)) * 1_000;
}
