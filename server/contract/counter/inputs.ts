import { z } from 'zod';
import { areBounds, type Bounds, isWithin } from '../../core/counter/counter-record';
import { operatorReason } from '../console/console-inputs';
import { lockName, namespace, namespaceName, requestId } from '../lock/inputs';

/** Byte-exact, like a lock's name. A lock and a counter of the same name are independent. */
const counterName = lockName.describe(
  'The counter’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. A lock of the same name is another thing.',
);

/** Exact below 2^53, in JavaScript and in SQL. */
const integer = z.int();

const beginning = {
  initial: integer.default(0).describe('The value to begin with; it must lie within the bounds.'),
  floor: integer.optional().describe('The value never goes below it. Left out: there is none.'),
  ceiling: integer.optional().describe('The value never goes above it. Left out: there is none.'),
};

interface Beginning {
  initial: number;
  floor?: number | undefined;
  ceiling?: number | undefined;
}

function boundsOf({ floor, ceiling }: Beginning): Bounds {
  return { floor: floor ?? null, ceiling: ceiling ?? null };
}

const hasBounds = (input: Beginning) => areBounds(boundsOf(input));
const crossed = { message: 'must not be above ceiling', path: ['floor'] };

const beginsWithin = (input: Beginning) =>
  !hasBounds(input) || isWithin(input.initial, boundsOf(input));
const outside = { message: 'must lie between floor and ceiling', path: ['initial'] };

export const counterCreateInput = z
  .strictObject({ namespace, name: counterName, ...beginning })
  .refine(hasBounds, crossed)
  .refine(beginsWithin, outside);

export const counterAddInput = z.strictObject({
  namespace,
  name: counterName,
  delta: integer.describe(
    'What to add, whole or not at all: a whole number below 2^53, or its negative.',
  ),
  /** One id is one step, however often the request is sent. */
  requestId: requestId.optional(),
});

export const counterGetInput = z.strictObject({ namespace, name: counterName });

export type CounterCreateInput = z.output<typeof counterCreateInput>;
export type CounterAddInput = z.output<typeof counterAddInput>;
export type CounterGetInput = z.output<typeof counterGetInput>;

/** What the counter list shows. */
export const counterListInput = z.strictObject({
  /** Part of a namespace or a name. */
  search: z.string().max(200).optional(),
  limit: z.number().int().min(1).max(1_000).default(200),
});
export type CounterListInput = z.output<typeof counterListInput>;

export const counterRef = z.strictObject({ namespace: namespaceName, name: counterName });

/** The last message before a stream was cut. Accepted but not used: streams send the full state. */
const resumed = { lastEventId: z.string().max(64).nullish() };

export const watchCountersInput = z.strictObject({ ...counterListInput.shape, ...resumed });
export const watchCounterInput = z.strictObject({ ...counterRef.shape, ...resumed });

export const counterMovesInput = z.strictObject({
  ...counterRef.shape,
  /** Moves older than this one, from a page's `older`. */
  before: z.string().max(64).optional(),
  limit: z.number().int().min(1).max(200).default(20),
});
export type CounterMovesInput = z.output<typeof counterMovesInput>;

/** A repeat with the same id runs nothing again and gets the first answer. */
const actId = { requestId: requestId.optional() };

export const setUpCounterInput = z
  .strictObject({ ...counterRef.shape, ...beginning, ...actId, reason: operatorReason })
  .refine(hasBounds, crossed)
  .refine(beginsWithin, outside);
export type SetUpCounterInput = z.output<typeof setUpCounterInput>;

const rev = z.number().int().nonnegative();

/** The value that the operator saw: the action applies to it or to nothing. */
export const adjustCounterInput = z.strictObject({
  ...counterRef.shape,
  rev,
  seenValue: integer,
  value: integer,
  ...actId,
  reason: operatorReason,
});
export type AdjustCounterInput = z.output<typeof adjustCounterInput>;

const bounds = z.strictObject({ floor: integer.nullable(), ceiling: integer.nullable() });

/** The bounds that the operator saw: the action applies to them, at any value, or to nothing. */
export const setCounterBoundsInput = z.strictObject({
  ...counterRef.shape,
  rev,
  seenBounds: bounds,
  bounds: bounds.refine(areBounds, crossed),
  ...actId,
  reason: operatorReason,
});
export type SetCounterBoundsInput = z.output<typeof setCounterBoundsInput>;
