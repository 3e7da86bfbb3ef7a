import { parseArgs } from 'node:util';
import { newSeed } from '@/server/engine/testing/random-campaign';
import { simulate } from './simulate';

/**
 * `npm run simulate -- --seeds 5000` plays so many seeds, from a random one or `--from N`, and says how to replay those
 * that break a promise. `--seed N` plays one and prints everything that happened. Exit code 1: something was found.
 */
const { values } = parseArgs({
  options: { seeds: { type: 'string' }, from: { type: 'string' }, seed: { type: 'string' } },
});

const found = values.seed === undefined ? await hunt() : await replay(Number(values.seed));
process.exit(found === 0 ? 0 : 1);

async function hunt(): Promise<number> {
  const seeds = Number(values.seeds ?? 1_000);
  const from = Number(values.from ?? newSeed());
  const startedAt = performance.now();
  let steps = 0;
  let bad = 0;
  for (let seed = from; seed < from + seeds; seed += 1) {
    const played = await simulate(seed);
    steps += played.steps;
    if (played.violations.length === 0) continue;
    bad += 1;
    console.log(`Seed ${seed}: ${played.violations[0]}`);
    console.log(`  replay it with: npm run simulate -- --seed ${seed}`);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const rate = Math.round(steps / seconds);
  console.log(
    `${seeds} seeds from ${from}, ${steps} steps, ${rate} a second: ${bad} broke a promise.`,
  );
  return bad;
}

async function replay(seed: number): Promise<number> {
  const { violations, steps, digest, trace } = await simulate(seed);
  for (const line of trace) console.log(line);
  for (const violation of violations) console.log(`BROKEN: ${violation}`);
  console.log(`Seed ${seed}, ${steps} steps, digest ${digest}.`);
  return violations.length;
}
