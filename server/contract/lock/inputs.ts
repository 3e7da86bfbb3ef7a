import { z } from 'zod';
import {
  ANONYMOUS_WAIT_MAX_MS,
  capacity,
  coveredByLease,
  fencingToken,
  holdAtLeastMs,
  leaseMs,
  lockName,
  lockPrefix,
  meta,
  modeInput,
  NOT_COVERED,
  namespace,
  ownerName,
  permits,
  requestId,
  waitMs,
} from '../primitives';

export const acquireInput = z
  .strictObject({
    namespace,
    name: lockName,
    owner: ownerName,
    leaseMs,
    waitMs,
    mode: modeInput,
    holdAtLeastMs,
    permits: permits
      .describe('Only in mode `permit`: how many permits to take together; 1 by default.')
      .optional(),
    capacity: capacity
      .describe(
        'Required in mode `permit`, and only there: how many permits may be held at the same ' +
          'time, 1 to 10,000. The first caller sets it. As long as permits are held or waited ' +
          'for, another capacity is `INVALID`.',
      )
      .optional(),
    reentrant: z
      .boolean()
      .default(false)
      .describe(
        'The same owner may enter again: it gets the same token, and must release as often as it ' +
          'entered.',
      ),
    meta: meta.default({}),
    requestId: requestId.optional(),
  })
  .refine((input) => input.waitMs <= ANONYMOUS_WAIT_MAX_MS || input.requestId !== undefined, {
    message: `is needed when waitMs is over ${ANONYMOUS_WAIT_MAX_MS}`,
    path: ['requestId'],
  })
  .refine(coveredByLease, NOT_COVERED)
  .refine(({ mode, capacity: named }) => mode !== 'permit' || named !== undefined, {
    message: 'is needed in mode permit',
    path: ['capacity'],
  })
  .refine(({ mode, capacity: named }) => mode === 'permit' || named === undefined, {
    message: 'is only for mode permit',
    path: ['capacity'],
  })
  .refine(({ mode, permits: wanted }) => mode === 'permit' || wanted === undefined, {
    message: 'is only for mode permit',
    path: ['permits'],
  })
  .refine(({ permits: wanted = 1, capacity: named = wanted }) => wanted <= named, {
    message: 'must be at most capacity',
    path: ['permits'],
  });

export const cancelInput = z.strictObject({
  namespace,
  name: lockName,
  owner: ownerName,
  requestId,
});

export const renewInput = z.strictObject({
  namespace,
  name: lockName,
  owner: ownerName,
  token: fencingToken,
  leaseMs,
});

export const releaseInput = z.strictObject({
  namespace,
  name: lockName,
  owner: ownerName,
  token: fencingToken,
  requestId: requestId.optional(),
});

export const inspectInput = z.strictObject({ namespace, name: lockName });

const LIST_LIMIT_MAX = 1_000;

export const listInput = z.strictObject({
  namespace,
  prefix: lockPrefix
    .describe('Only names that begin with this, compared byte by byte; empty: all.')
    .optional(),
  after: lockName.describe('Only names after this one: the `next` of the page before.').optional(),
  busy: z.boolean().default(false).describe('Only locks that are not `free`, or have waiters.'),
  limit: z.number().int().min(1).max(LIST_LIMIT_MAX).default(100).describe('The most per page.'),
});

export const checkInput = z.strictObject({ namespace, name: lockName, token: fencingToken });

export type AcquireInput = z.output<typeof acquireInput>;
export type CancelInput = z.output<typeof cancelInput>;
export type RenewInput = z.output<typeof renewInput>;
export type ReleaseInput = z.output<typeof releaseInput>;
export type InspectInput = z.output<typeof inspectInput>;
export type ListInput = z.output<typeof listInput>;
export type CheckInput = z.output<typeof checkInput>;
