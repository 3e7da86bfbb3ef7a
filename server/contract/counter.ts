import { z } from 'zod';
import { areBounds, type Bounds, isWithin } from './counter-bounds';
import { lockName, namespace, requestId } from './primitives';

/** A counter's name, byte-exact like a lock's. */
const counterName = lockName.describe(
  'The counter’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. A lock of ' +
    'the same name is independent of it.',
);

/** An integer between −2^53 and 2^53, which is exact in JavaScript and in SQL. */
export const wholeNumber = z.int();

export const initialFields = {
  initial: wholeNumber.default(0).describe('The initial value, which must be within the bounds.'),
  floor: wholeNumber.optional().describe('The value never goes below it. Default: no limit.'),
  ceiling: wholeNumber.optional().describe('The value never goes above it. Default: no limit.'),
};

interface InitialInput {
  initial: number;
  floor?: number | undefined;
  ceiling?: number | undefined;
}

function boundsOf({ floor, ceiling }: InitialInput): Bounds {
  return { floor: floor ?? null, ceiling: ceiling ?? null };
}

export const hasValidBounds = (input: InitialInput) => areBounds(boundsOf(input));
export const CROSSED_BOUNDS = { message: 'must not be above ceiling', path: ['floor'] };

export const startsWithinBounds = (input: InitialInput) =>
  !hasValidBounds(input) || isWithin(input.initial, boundsOf(input));
export const OUTSIDE_BOUNDS = { message: 'must be between floor and ceiling', path: ['initial'] };

export const counterCreateInput = z
  .strictObject({ namespace, name: counterName, ...initialFields })
  .refine(hasValidBounds, CROSSED_BOUNDS)
  .refine(startsWithinBounds, OUTSIDE_BOUNDS);

export const counterAddInput = z.strictObject({
  namespace,
  name: counterName,
  delta: wholeNumber.describe(
    'A whole number between −2^53 and 2^53, applied entirely or not at all.',
  ),
  /** A request with the same id is applied only once, however often it is sent. */
  requestId: requestId.optional(),
  firstAttempt: z
    .boolean()
    .optional()
    .describe(
      'True: no request with this `requestId` was ever sent before. Only then may a gate ' +
        'refuse a step that has a `requestId`; it may refuse any step without one.',
    ),
});

export const counterGetInput = z.strictObject({ namespace, name: counterName });

export type CounterCreateInput = z.output<typeof counterCreateInput>;
export type CounterAddInput = z.output<typeof counterAddInput>;
export type CounterGetInput = z.output<typeof counterGetInput>;

const value = z.int().describe('The counter’s value.');
const rev = z.int().min(0).describe('The counter’s version: one more for each accepted change.');
const floor = z.int().nullable().describe('The value never goes below it; null: no limit.');
const ceiling = z.int().nullable().describe('The value never goes above it; null: no limit.');
export const counterView = z.object({ value, floor, ceiling });

const counterCreated = z
  .object({ outcome: z.literal('created') })
  .describe('The counter was created.');
const counterExists = z
  .object({ outcome: z.literal('exists'), ...counterView.shape })
  .describe('The counter existed already and was not changed.')
  .meta({ examples: [{ outcome: 'exists', value: 380, floor: 0, ceiling: 500 }] });

const counterApplied = z
  .object({ outcome: z.literal('applied'), value, rev })
  .describe('The step was applied; `value` is the result.')
  .meta({ examples: [{ outcome: 'applied', value: 379, rev: 60500000002 }] });
const counterOutOfBounds = z
  .object({
    outcome: z.literal('outOfBounds'),
    ...counterView.shape,
    estimate: z
      .literal(true)
      .optional()
      .describe(
        'The gate refused the step: `value` and the bounds come from its Redis, not from MySQL.',
      ),
  })
  .describe('The result would be outside the bounds. Nothing was changed.')
  .meta({ examples: [{ outcome: 'outOfBounds', value: 0, floor: 0, ceiling: 500 }] });

export const counterCreateAnswer = z.discriminatedUnion('outcome', [counterCreated, counterExists]);
export const counterAddAnswer = z.discriminatedUnion('outcome', [
  counterApplied,
  counterOutOfBounds,
]);
export const counterGetAnswer = z
  .object({ ...counterView.shape, rev })
  .describe('The present value of the counter, and its bounds.')
  .meta({ examples: [{ value: 379, floor: 0, ceiling: 500, rev: 60500000002 }] });

/** The schemas of counters, by their names in the API's description. */
export const COUNTER_ANSWERS = {
  CounterCreated: counterCreated,
  CounterExists: counterExists,
  CounterApplied: counterApplied,
  CounterOutOfBounds: counterOutOfBounds,
  CounterCreateAnswer: counterCreateAnswer,
  CounterAddAnswer: counterAddAnswer,
  CounterGetAnswer: counterGetAnswer,
} as const;

export type CounterView = z.output<typeof counterView>;
export type OutOfBounds = z.output<typeof counterOutOfBounds>;
export type CounterCreateAnswer = z.output<typeof counterCreateAnswer>;
export type CounterAddAnswer = z.output<typeof counterAddAnswer>;
export type CounterGetAnswer = z.output<typeof counterGetAnswer>;
