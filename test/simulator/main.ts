import { parseArgs } from 'node:util';
import { newSeed } from '@/server/engine/testing/seeded';
import { playSeeds } from './play-seeds';
import { simulate } from './simulate';
import { WORLD_KINDS } from './world-kind';

/**
 * `npm run simulate -- --seeds 5000` plays that many seeds, from a random one or `--from N`, and
 * prints how to replay those that break a promise. `--digest` also prints the digest of each, to
 * compare it with another build's; `--kind lossy` plays only worlds of that kind. `--seed N` plays
 * one seed and prints everything that happened. Exit code 1: a promise was broken; 2: an argument
 * is wrong.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string' },
    seed: { type: 'string' },
    kind: { type: 'string' },
    digest: { type: 'boolean', default: false },
  },
});

const say = (line: string) => console.log(line);
const found =
  values.seed === undefined ? await playAsAsked() : await replay(wholeNumber('seed', 0));
process.exit(found === 0 ? 0 : 1);

function playAsAsked(): Promise<number> {
  const kind = WORLD_KINDS.find((one) => one === values.kind);
  if (values.kind !== undefined && !kind) {
    console.error(`--kind must be ${WORLD_KINDS.join(', ')}, not "${values.kind}".`);
    process.exit(2);
  }
  return playSeeds({
    ...(kind && { kind }),
    from: wholeNumber('from', newSeed()),
    seeds: wholeNumber('seeds', 1_000),
    withDigests: values.digest,
    say,
  });
}

async function replay(seed: number): Promise<number> {
  const { violations, steps, digest, trace } = await simulate(seed);
  for (const line of trace) say(line);
  for (const violation of violations) say(`BROKEN: ${violation}`);
  say(`Seed ${seed}, ${steps} steps, digest ${digest}.`);
  return violations.length;
}

function wholeNumber(option: 'seeds' | 'from' | 'seed', absent: number): number {
  const text = values[option];
  if (text === undefined) return absent;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  console.error(`--${option} must be a whole number, not "${text}".`);
  process.exit(2);
}
