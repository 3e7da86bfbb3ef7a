import { median } from '../median';
import type { ProcessFigures } from '../processes/lock-process';
import { warmedUp } from '../race';

/** One size that is measured. */
export interface Size {
  size: number;
  run(): Promise<ProcessFigures>;
}

/** The medians of one size's rounds. */
export interface GrowthPoint {
  size: number;
  perSecond: number;
  /** Lockyard's CPU time for one cycle or one waiter served, including its history. */
  lockyardMicros: number;
  /** The same for the database; NaN: not known. */
  databaseMicros: number;
}

/**
 * Measures all sizes in turn, round after round, after some warm-up rounds.
 *
 * @param serverCpuMs how much CPU time the database has used so far
 */
export async function measureSizesInTurns(
  sizes: Size[],
  rounds: number,
  serverCpuMs: () => number,
): Promise<GrowthPoint[]> {
  const points = new Map<number, GrowthPoint[]>(sizes.map(({ size }) => [size, []]));
  for (const isCounted of warmedUp(rounds)) {
    for (const { size, run } of sizes) {
      const before = serverCpuMs();
      const { count, perSecond, cpuMs } = await run();
      const serverMs = serverCpuMs() - before;
      if (!isCounted) continue;
      points.get(size)?.push({
        size,
        perSecond,
        lockyardMicros: (cpuMs / count) * 1_000,
        databaseMicros: (serverMs / count) * 1_000,
      });
    }
  }
  return sizes.map(({ size }) => {
    const all = points.get(size) ?? [];
    return {
      size,
      perSecond: median(all.map((point) => point.perSecond)),
      lockyardMicros: median(all.map((point) => point.lockyardMicros)),
      databaseMicros: median(all.map((point) => point.databaseMicros)),
    };
  });
}
