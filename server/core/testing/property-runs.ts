import type { Parameters } from 'fast-check';

/** One seed for the whole run, printed at its start and, with the counterexample, on failure. */
const seed = (Math.random() * 0x7fffffff) | 0;
console.info(`fast-check seed ${seed}`);

/** The long suite repeats each property 40 times as often. */
export const RUNS_PER_PROPERTY = process.env.TEST_LONG === '1' ? 10_000 : 250;

/** How every property of the domain is run. */
export const RUNS: Parameters<unknown> = { seed, numRuns: RUNS_PER_PROPERTY };

/** How long one property may take on a busy machine, in milliseconds. */
export const PROPERTY_MS = 300_000;
