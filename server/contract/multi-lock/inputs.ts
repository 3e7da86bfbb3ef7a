import { z } from 'zod';
import {
  ANONYMOUS_WAIT_MAX_MS,
  leaseMs,
  lockName,
  meta,
  mode,
  namespace,
  ownerName,
  requestId,
  waitMs,
} from '../lock/inputs';

const MULTI_LOCK_MIN = 2;
const MULTI_LOCK_MAX = 20;

const areDistinct = (names: string[]) => new Set(names).size === names.length;

export const acquireManyInput = z
  .strictObject({
    namespace,
    locks: z
      .array(z.strictObject({ name: lockName, mode }))
      .min(MULTI_LOCK_MIN)
      .max(MULTI_LOCK_MAX)
      .refine((locks) => areDistinct(locks.map(({ name }) => name)), 'must name each lock once')
      .describe('2 to 20 locks of one namespace, each once, in any order.'),
    owner: ownerName,
    leaseMs,
    waitMs,
    meta: meta.default({}),
    requestId: requestId.optional(),
  })
  .refine((input) => input.waitMs <= ANONYMOUS_WAIT_MAX_MS || input.requestId !== undefined, {
    message: `is needed when waitMs is over ${ANONYMOUS_WAIT_MAX_MS}`,
    path: ['requestId'],
  });

export const cancelManyInput = z.strictObject({
  namespace,
  names: z
    .array(lockName)
    .min(MULTI_LOCK_MIN)
    .max(MULTI_LOCK_MAX)
    .refine(areDistinct, 'must name each lock once')
    .describe('The names of the very locks that were asked for, in any order.'),
  owner: ownerName,
  requestId,
});

export type AcquireManyInput = z.output<typeof acquireManyInput>;
export type CancelManyInput = z.output<typeof cancelManyInput>;
