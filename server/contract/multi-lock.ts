import { z } from 'zod';
import { LOCK_STATES } from './lock/answers';
import {
  ANONYMOUS_WAIT_MAX_MS,
  cause,
  coveredByLease,
  expiresAt,
  expiresInMs,
  holdAtLeastMs,
  holdCount,
  holder,
  leaseMs,
  lockName,
  meta,
  mode,
  NOT_COVERED,
  namespace,
  operatorReason,
  ownerName,
  patienceLeftMs,
  queueLength,
  requestId,
  retryAfterMs,
  rev,
  STILL_WAITING,
  token,
  waitMs,
} from './primitives';
import { waitedForTraceparent } from './traceparent';

const MULTI_LOCK_MIN = 2;
export const MULTI_LOCK_MAX = 20;

const areDistinct = (names: string[]) => new Set(names).size === names.length;

/** The mode of one of the locks: a multi-lock takes no permits. */
const modeInSet = z
  .enum(['exclusive', 'shared'], {
    error: 'must be exclusive or shared; permits are acquired one lock at a time',
  })
  .default('exclusive')
  .describe('`exclusive`: alone. `shared`: together with other shared holds.');

export const acquireManyInput = z
  .strictObject({
    namespace,
    locks: z
      .array(z.strictObject({ name: lockName, mode: modeInSet }))
      .min(MULTI_LOCK_MIN)
      .max(MULTI_LOCK_MAX)
      .refine((locks) => areDistinct(locks.map(({ name }) => name)), 'must name each lock once')
      .describe('2 to 20 different locks of one namespace, in any order.'),
    owner: ownerName,
    leaseMs,
    waitMs,
    holdAtLeastMs,
    meta: meta.default({}),
    requestId: requestId.optional(),
  })
  .refine((input) => input.waitMs <= ANONYMOUS_WAIT_MAX_MS || input.requestId !== undefined, {
    message: `is needed when waitMs is over ${ANONYMOUS_WAIT_MAX_MS}`,
    path: ['requestId'],
  })
  .refine(coveredByLease, NOT_COVERED);

export const cancelManyInput = z.strictObject({
  namespace,
  names: z
    .array(lockName)
    .min(MULTI_LOCK_MIN)
    .max(MULTI_LOCK_MAX)
    .refine(areDistinct, 'must name each lock once')
    .describe('Exactly the names of the `lock.acquireMany`, in any order.'),
  owner: ownerName,
  requestId,
});

const name = z.string().describe('The lock’s name.');

export const multiLockGrant = z
  .object({
    name,
    mode,
    token,
    rev,
    holdCount,
    expiresAt,
    expiresInMs,
    waitedMs: z.int().min(0).describe('How long the call waited in all queues together.'),
    waitedForTraceparent,
  })
  .describe('One of the holds: renewed and released by its own name and token, like any other.');

export const blockingLock = z.object({
  name,
  state: z
    .enum(LOCK_STATES)
    .describe('As in `lock.inspect`. `free` with a queue: other callers are before this one.'),
  holders: z.array(holder),
  queueLength,
});

const blockedBy = z.array(blockingLock).describe('The locks that block the call now.');

const oneGrant = {
  name: 'accounts:7',
  mode: 'exclusive',
  token: 145000000000001,
  rev: 60500000001,
  holdCount: 1,
  expiresAt: 1795160030000,
  expiresInMs: 30000,
  waitedMs: 0,
};

export const multiLockGranted = z
  .object({
    outcome: z.literal('granted'),
    grants: z.array(multiLockGrant).describe('The holds of all locks, sorted by name.'),
  })
  .describe('All locks are held until their `expiresAt`. Keep the tokens.')
  .meta({
    examples: [{ outcome: 'granted', grants: [oneGrant, { ...oneGrant, name: 'accounts:9' }] }],
  });

const blockedFields = { blockedBy, retryAfterMs };

const multiLockHeld = z
  .object({ outcome: z.literal('held'), ...blockedFields })
  .describe('Not all locks were free, so none was granted, and `waitMs` was 0.')
  .meta({
    examples: [
      {
        outcome: 'held',
        blockedBy: [{ name: 'accounts:9', state: 'free', holders: [], queueLength: 2 }],
        retryAfterMs: 5000,
      },
    ],
  });

const multiLockTimeout = z
  .object({ outcome: z.literal('timeout'), ...blockedFields })
  .describe('Not granted within `waitMs`; final for this `requestId`.');

export const multiLockQueued = z
  .object({
    outcome: z.literal('queued'),
    name: z.string().describe('The lock in whose queue the call waits now, which can change.'),
    ticket: z.int().min(0).describe('Identifies the waiter in that queue.'),
    place: z.int().min(1).describe('1 is next at that lock.'),
    patienceLeftMs,
    blockedBy,
  })
  .describe(`${STILL_WAITING} Meanwhile the call holds none of the locks.`);

export const multiLockQueueFull = z
  .object({ outcome: z.literal('queueFull'), name, queueLength, retryAfterMs })
  .describe('The queue of that lock is full.');

export const multiLockFrozen = z
  .object({ outcome: z.literal('frozen'), name, reason: operatorReason })
  .describe('An operator has frozen that lock, and `waitMs` was 0.');

export const multiLockEnded = z
  .object({
    outcome: z.literal('ended'),
    ended: z
      .array(z.object({ name, token, cause }))
      .describe('The holds that have ended, and how.'),
    grants: z.array(multiLockGrant).describe('The holds that are still live.'),
  })
  .describe('This `requestId` was granted before, and some of its holds have ended.');

export const multiLockHeldOrTimeout = z.discriminatedUnion('outcome', [
  multiLockHeld,
  multiLockTimeout,
]);

export const acquireManyAnswer = z.discriminatedUnion('outcome', [
  multiLockGranted,
  multiLockHeld,
  multiLockQueued,
  multiLockTimeout,
  multiLockQueueFull,
  multiLockFrozen,
  multiLockEnded,
]);

/** The schemas of multi-locks, by their names in the API's description. */
export const MULTI_LOCK_ANSWERS = {
  SetGranted: multiLockGranted,
  SetHeld: multiLockHeld,
  SetQueued: multiLockQueued,
  SetTimeout: multiLockTimeout,
  SetQueueFull: multiLockQueueFull,
  SetFrozen: multiLockFrozen,
  SetEnded: multiLockEnded,
  AcquireManyAnswer: acquireManyAnswer,
} as const satisfies Record<string, z.ZodType>;

export type AcquireManyInput = z.output<typeof acquireManyInput>;
export type CancelManyInput = z.output<typeof cancelManyInput>;
export type MultiLockGrant = z.output<typeof multiLockGrant>;
export type BlockedBy = z.output<typeof blockingLock>;
export type MultiLockGranted = z.output<typeof multiLockGranted>;
export type MultiLockHeld = z.output<typeof multiLockHeldOrTimeout>;
export type MultiLockQueued = z.output<typeof multiLockQueued>;
export type MultiLockEnded = z.output<typeof multiLockEnded>;
export type AcquireManyAnswer = z.output<typeof acquireManyAnswer>;
