import { z } from 'zod';
import {
  CROSSED_BOUNDS,
  hasValidBounds,
  initialFields,
  OUTSIDE_BOUNDS,
  startsWithinBounds,
  wholeNumber,
} from '../counter';
import { areBounds } from '../counter-bounds';
import { lockName, namespaceName, requestId } from '../primitives';
import { lastInstant, operatorReason } from './console-inputs';

/** What the counter list shows. */
export const counterListInput = z.strictObject({
  /** Part of a namespace or a name. */
  search: z.string().max(200).optional(),
  limit: z.number().int().min(1).max(1_000).default(200),
});
export type CounterListInput = z.output<typeof counterListInput>;

export const counterRef = z.strictObject({ namespace: namespaceName, name: lockName });

/** The last message before an interruption. Accepted but unused: streams send the full state. */
const resumed = { lastEventId: z.string().max(64).nullish() };

export const watchCountersInput = z.strictObject({ ...counterListInput.shape, ...resumed });
export const watchCounterInput = z.strictObject({ ...counterRef.shape, ...resumed });

export const counterMovesInput = z.strictObject({
  ...counterRef.shape,
  /** Moves older than this one, from a page's `older`. */
  before: z.string().max(80).optional(),
  until: lastInstant.optional(),
  limit: z.number().int().min(1).max(200).default(20),
});
export type CounterMovesInput = z.output<typeof counterMovesInput>;

/** A repeat with the same id changes nothing and gets the first answer. */
const actId = { requestId: requestId.optional() };

export const setUpCounterInput = z
  .strictObject({ ...counterRef.shape, ...initialFields, ...actId, reason: operatorReason })
  .refine(hasValidBounds, CROSSED_BOUNDS)
  .refine(startsWithinBounds, OUTSIDE_BOUNDS);
export type SetUpCounterInput = z.output<typeof setUpCounterInput>;

const rev = z.number().int().nonnegative();

/** Sets the value if it is still `seenValue`, which the operator saw; null: in any case. */
export const adjustCounterInput = z.strictObject({
  ...counterRef.shape,
  rev,
  seenValue: wholeNumber.nullable(),
  value: wholeNumber,
  ...actId,
  reason: operatorReason,
});
export type AdjustCounterInput = z.output<typeof adjustCounterInput>;

/** A step from the present value. `rev` is only for the audit log. */
export const adjustCounterByInput = z.strictObject({
  ...counterRef.shape,
  rev,
  delta: wholeNumber.refine((delta) => delta !== 0, 'must not be 0'),
  ...actId,
  reason: operatorReason,
});
export type AdjustCounterByInput = z.output<typeof adjustCounterByInput>;

/** The values that the operator saw are only for the audit log: the gate gets MySQL's value. */
export const reconcileCounterInput = z.strictObject({
  ...counterRef.shape,
  rev,
  seenValue: wholeNumber,
  seenFastValue: wholeNumber.nullable(),
  ...actId,
  reason: operatorReason,
});
export type ReconcileCounterInput = z.output<typeof reconcileCounterInput>;

const bounds = z.strictObject({ floor: wholeNumber.nullable(), ceiling: wholeNumber.nullable() });

/** Sets the bounds, at any value, if they are still those that the operator saw. */
export const setCounterBoundsInput = z.strictObject({
  ...counterRef.shape,
  rev,
  seenBounds: bounds,
  bounds: bounds.refine(areBounds, CROSSED_BOUNDS),
  ...actId,
  reason: operatorReason,
});
export type SetCounterBoundsInput = z.output<typeof setCounterBoundsInput>;
