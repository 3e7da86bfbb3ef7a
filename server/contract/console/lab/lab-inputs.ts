import { z } from 'zod';
import { LAB_DEFAULTS, LAB_LIMITS } from './lab-race';
import { LAB_RUNS_MAX, LAB_STRATEGIES_MAX } from './lab-run';

function wholeNumber({ least, most }: { least: number; most: number }) {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.number({ error: message }).int(message).min(least, message).max(most, message);
}

/** A strategy by its id in the catalogue. */
const strategyId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be the id of a strategy');

const runId = z.string().regex(/^[A-Za-z0-9]{1,24}$/, 'must be the id of a run');

export const labStartInput = z.strictObject({
  strategies: z
    .array(strategyId)
    .min(1, 'must name at least one strategy')
    .max(LAB_STRATEGIES_MAX, `must name at most ${LAB_STRATEGIES_MAX} strategies`)
    .refine((ids) => new Set(ids).size === ids.length, 'must not name a strategy twice'),
  workers: wholeNumber(LAB_LIMITS.workers).default(LAB_DEFAULTS.workers),
  stock: wholeNumber(LAB_LIMITS.stock).default(LAB_DEFAULTS.stock),
  thinkMs: wholeNumber(LAB_LIMITS.thinkMs).default(LAB_DEFAULTS.thinkMs),
  perEntryMs: wholeNumber(LAB_LIMITS.perEntryMs).default(LAB_DEFAULTS.perEntryMs),
  pause: z.boolean().default(LAB_DEFAULTS.pause),
  seed: wholeNumber(LAB_LIMITS.seed).default(LAB_DEFAULTS.seed),
});
export type LabStartInput = z.output<typeof labStartInput>;

export const labRunRef = z.strictObject({ id: runId });

export const labRunsInput = z.strictObject({
  limit: z.number().int().min(1).max(LAB_RUNS_MAX).default(LAB_RUNS_MAX),
});
export type LabRunsInput = z.output<typeof labRunsInput>;

export const labSourceInput = z.strictObject({ id: strategyId });

export const labPreflightInput = z.strictObject({
  /** Asks the servers again even if they were asked within the last 30 s. */
  again: z.boolean().default(false),
});
