import { z } from 'zod';

/** The answers of the service API about counters, as schemas; see `answer-schemas.ts`. */

const value = z.int().describe('What the counter stands at.');
const rev = z.int().min(0).describe('The counter’s version: one more for each accepted change.');
const floor = z.int().nullable().describe('The value never goes below it; null: there is none.');
const ceiling = z.int().nullable().describe('The value never goes above it; null: there is none.');
const view = { value, floor, ceiling };

const created = z.object({ outcome: z.literal('created') }).describe('It is there now.');
const exists = z
  .object({ outcome: z.literal('exists'), ...view })
  .describe('It was there already, and stays as it is.')
  .meta({ examples: [{ outcome: 'exists', value: 380, floor: 0, ceiling: 500 }] });

const applied = z
  .object({ outcome: z.literal('applied'), value, rev })
  .describe('The whole step was taken; `value` is what it led to.')
  .meta({ examples: [{ outcome: 'applied', value: 379, rev: 60500000002 }] });
const outOfBounds = z
  .object({ outcome: z.literal('outOfBounds'), ...view })
  .describe('The step would have left the bounds. Nothing happened, nothing was clamped.')
  .meta({ examples: [{ outcome: 'outOfBounds', value: 0, floor: 0, ceiling: 500 }] });

export const createAnswer = z.discriminatedUnion('outcome', [created, exists]);
export const addAnswer = z.discriminatedUnion('outcome', [applied, outOfBounds]);
export const getAnswer = z
  .object({ ...view, rev })
  .describe('What the counter stands at right now, and its bounds.')
  .meta({ examples: [{ value: 379, floor: 0, ceiling: 500, rev: 60500000002 }] });

export const COUNTER_ANSWER_SCHEMAS = {
  CounterCreated: created,
  CounterExists: exists,
  CounterApplied: applied,
  CounterOutOfBounds: outOfBounds,
  CounterCreateAnswer: createAnswer,
  CounterAddAnswer: addAnswer,
  CounterGetAnswer: getAnswer,
} as const;
