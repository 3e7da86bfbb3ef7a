import type { Flaws } from './sim-world';
import { simulate } from './simulate';

interface SeedRange {
  from: number;
  seeds: number;
  flaws?: Flaws;
  /** Prints of each seed how many steps it took and the digest of its trace. */
  withDigests?: boolean;
  say: (line: string) => void;
}

/**
 * Plays seeds one after another and prints how to replay those that break a promise; returns how
 * many did.
 */
export async function playSeeds(range: SeedRange): Promise<number> {
  const { from, seeds, flaws = {}, withDigests = false, say } = range;
  const startedAt = performance.now();
  let steps = 0;
  let bad = 0;
  for (let seed = from; seed < from + seeds; seed += 1) {
    const played = await simulate(seed, flaws);
    steps += played.steps;
    if (withDigests) say(`${seed} ${played.steps} ${played.digest}`);
    if (played.violations.length === 0) continue;
    bad += 1;
    say(`Seed ${seed}: ${played.violations[0]}`);
    say(`  replay it with: npm run simulate -- --seed ${seed}`);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const rate = Math.round(steps / seconds);
  say(`${seeds} seeds from ${from}, ${steps} steps, ${rate} a second: ${bad} broke a promise.`);
  return bad;
}
