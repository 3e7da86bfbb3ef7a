import { median } from './median';

export interface Contestant {
  name: string;
  /** Runs once and returns how much it did per second. */
  run(): Promise<number>;
  /** Runs after each turn and is not measured. */
  after?: (() => Promise<void>) | undefined;
}

/** A claim about the last contestant: how many times another one's rate it reaches. */
export interface Bar {
  over: string;
  /** Absent: there is only a target, or the ratio is only information. */
  atLeast?: number;
  aim?: number;
}

/**
 * A process needs twice the CPU time in its first ten seconds of work, until V8 has compiled the
 * hot code and Lockyard knows the records.
 */
const WARM_UP_ROUNDS = 4;

/**
 * Yields for each round whether it counts: the first rounds only warm up.
 *
 * @param rounds how many rounds count
 */
export function* warmedUp(rounds: number): Generator<boolean> {
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) yield round >= 0;
}

/**
 * Runs rounds of all contestants, one after the other, after some warm-up rounds. A ratio is the
 * median of the rounds' ratios.
 */
export async function race(
  title: string,
  contestants: Contestant[],
  bars: Bar[],
  rounds: number,
): Promise<void> {
  const rates = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  for (const isCounted of warmedUp(rounds)) {
    for (const { name, run, after } of contestants) {
      const rate = await run();
      await after?.();
      if (isCounted) rates.get(name)?.push(rate);
    }
  }
  const ours = [...rates.values()].at(-1) ?? [];
  console.log(title);
  for (const [name, of] of rates) {
    console.log(`  ${name}: ${Math.round(median(of)).toLocaleString('en')} /s`);
  }
  for (const { over, atLeast, aim } of bars) {
    const theirs = rates.get(over) ?? [];
    const ratio = median(ours.map((rate, round) => rate / (theirs[round] ?? Number.NaN)));
    const wanted = [
      ...(atLeast === undefined ? [] : [`at least ${atLeast}`]),
      ...(aim === undefined ? [] : [`aim ${aim}`]),
    ];
    const digits = (atLeast ?? aim ?? 0) <= 1 ? 2 : 1;
    const bar = wanted.length === 0 ? '' : ` (${wanted.join(', ')})`;
    console.log(`  ratio to ${over}: ${ratio.toFixed(digits)}${bar}`);
  }
}
