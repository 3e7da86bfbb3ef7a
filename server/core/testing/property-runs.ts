import type { Parameters } from 'fast-check';

/** One seed for the whole run, printed at its start; a failure prints it again with the path to the counterexample. */
const seed = (Math.random() * 0x7fffffff) | 0;
console.info(`fast-check seed ${seed}`);

/** How every property of the domain is run. */
export const RUNS: Parameters<unknown> = { seed, numRuns: 1_000 };

/** How long one property may take on a machine that is busy with other things, in milliseconds. */
export const PROPERTY_MS = 60_000;
