import type { Flaws } from './sim-world';
import { simulate } from './simulate';
import { type WorldKind, worldKind } from './world-kind';

interface SeedRange {
  from: number;
  /** How many seeds; if `kind` is given, only seeds of that kind count and are played. */
  seeds: number;
  kind?: WorldKind;
  flaws?: Flaws;
  /** Prints for each seed how many steps it took and the digest of its trace. */
  withDigests?: boolean;
  say: (line: string) => void;
}

/**
 * Plays seeds one after another and prints how to replay those that break a promise; returns how
 * many did.
 */
export async function playSeeds(range: SeedRange): Promise<number> {
  const { from, seeds, kind, flaws = {}, withDigests = false, say } = range;
  const startedAt = performance.now();
  let steps = 0;
  let bad = 0;
  let played = 0;
  for (let seed = from; played < seeds; seed += 1) {
    if (kind !== undefined && worldKind(seed) !== kind) continue;
    played += 1;
    const simulation = await simulate(seed, flaws);
    steps += simulation.steps;
    if (withDigests) say(`${seed} ${simulation.steps} ${simulation.digest}`);
    if (simulation.violations.length === 0) continue;
    bad += 1;
    say(`Seed ${seed}: ${simulation.violations[0]}`);
    say(`  replay it with: npm run simulate -- --seed ${seed}`);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const rate = Math.round(steps / seconds);
  say(
    `${seeds} ${kind === undefined ? '' : `${kind} `}seeds from ${from}, ${steps} steps, ` +
      `${rate} a second: ${bad} broke a promise.`,
  );
  return bad;
}
