import { z } from 'zod';
import {
  cause,
  expiresAt,
  expiresInMs,
  holdCount,
  holder,
  mode,
  queueLength,
  retryAfterMs,
  rev,
  token,
} from '../answer-fields';

/** The answers of the service API about multi-locks, as schemas: see `answer-schemas.ts`. */

const name = z.string().describe('The lock’s name.');

const setGrant = z
  .object({
    name,
    mode,
    token,
    rev,
    holdCount,
    expiresAt,
    expiresInMs,
    waitedMs: z.int().min(0).describe('How long the set queued, over all queues.'),
  })
  .describe('One hold of a set: renewed and released by its own name and token, like any other.');

const blockedBy = z
  .array(
    z.object({
      name,
      state: z
        .enum(['free', 'held', 'expired', 'delayed', 'frozen'])
        .describe('As `lock.inspect` says it; `free` with a queue: others wait before you.'),
      holders: z.array(holder),
      queueLength,
    }),
  )
  .describe('The locks that cannot be had for now.');

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

const setGranted = z
  .object({ outcome: z.literal('granted'), grants: z.array(setGrant).describe('All, by name.') })
  .describe('All locks are yours until their `expiresAt`. Keep the tokens.')
  .meta({
    examples: [{ outcome: 'granted', grants: [oneGrant, { ...oneGrant, name: 'accounts:9' }] }],
  });

const elsewhere = { blockedBy, retryAfterMs };

const setHeld = z
  .object({ outcome: z.literal('held'), ...elsewhere })
  .describe('Not all of them can be had now, so you have none; and `waitMs` was 0.')
  .meta({
    examples: [
      {
        outcome: 'held',
        blockedBy: [{ name: 'accounts:9', state: 'free', holders: [], queueLength: 2 }],
        retryAfterMs: 5000,
      },
    ],
  });

const setTimeout = z
  .object({ outcome: z.literal('timeout'), ...elsewhere })
  .describe('Patience is over; final for this `requestId`.');

const setQueued = z
  .object({
    outcome: z.literal('queued'),
    name: z.string().describe('The lock in whose queue you stand now; it may be another later.'),
    ticket: z.int().min(0).describe('Names the place in that queue.'),
    place: z.int().min(1).describe('1 is next at that lock.'),
    patienceLeftMs: z
      .int()
      .min(0)
      .describe('What is left of `waitMs`, over all requests with this id.'),
    blockedBy,
  })
  .describe(
    'Still waiting after 25 s, or the server is closing: ask again at once with the very same input. The place is kept for 2 s without a request. Meanwhile you have none of the locks.',
  );

const setQueueFull = z
  .object({ outcome: z.literal('queueFull'), name, queueLength, retryAfterMs })
  .describe('As many wait for that lock already as may.');

const setFrozen = z
  .object({
    outcome: z.literal('frozen'),
    name,
    reason: z.string().describe('The operator’s words.'),
  })
  .describe('An operator lets nobody have that lock for now, and `waitMs` was 0.');

const setEnded = z
  .object({
    outcome: z.literal('ended'),
    ended: z
      .array(z.object({ name, token, cause }))
      .describe('The holds that are over, and how they ended.'),
    grants: z.array(setGrant).describe('Those that are live still.'),
  })
  .describe('This `requestId` was granted before, and not all of its holds are live any more.');

export const acquireManyAnswer = z.discriminatedUnion('outcome', [
  setGranted,
  setHeld,
  setQueued,
  setTimeout,
  setQueueFull,
  setFrozen,
  setEnded,
]);

/** Those with a name of their own in the API's description. */
export const MULTI_LOCK_ANSWER_SCHEMAS = {
  SetGranted: setGranted,
  SetHeld: setHeld,
  SetQueued: setQueued,
  SetTimeout: setTimeout,
  SetQueueFull: setQueueFull,
  SetFrozen: setFrozen,
  SetEnded: setEnded,
  AcquireManyAnswer: acquireManyAnswer,
} as const satisfies Record<string, z.ZodType>;
