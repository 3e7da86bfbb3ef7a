import { z } from 'zod';

/** Parts that several answers of the service API share, as schemas. */

export const token = z
  .int()
  .positive()
  .describe('The fencing token of the hold. It rises for ever.');
export const rev = z
  .int()
  .min(0)
  .describe('The lock’s version: one more for each accepted change.');
export const holdCount = z
  .int()
  .min(1)
  .describe('How often the owner has entered: as many releases.');
export const queueLength = z.int().min(0).describe('How many wait.');
export const retryAfterMs = z
  .int()
  .min(0)
  .describe('When to ask again if nothing better is known, in milliseconds from now.');
export const expiresAt = z
  .int()
  .describe('The end of the lease in epoch milliseconds of the database’s clock.');
export const expiresInMs = z
  .int()
  .describe('The lease that is left, in milliseconds, for callers whose clock differs.');
const owner = z.string().describe('The holder’s or waiter’s own name for itself.');
const service = z.string().describe('The name of the API key that it calls with.');
export const cause = z
  .enum(['expired', 'released', 'forced', 'superseded'])
  .describe(
    'How the hold ended. `forced`: by an operator. `superseded`: so long ago that only later holders are remembered.',
  );

export const mode = z
  .enum(['exclusive', 'shared'])
  .describe('`exclusive`: alone. `shared`: together with other shared holds.');

export const remark = (what: string) =>
  z
    .object({
      by: z.string().describe('The operator’s name.'),
      reason: z.string().describe('Why, in the operator’s words.'),
      at: z.int().describe('When, in epoch milliseconds.'),
    })
    .describe(what);

export const holder = z
  .object({
    owner,
    service,
    token,
    mode,
    holdCount,
    grantedAt: z.int().describe('When it was granted, in epoch milliseconds.'),
    expiresAt,
    expiresInMs,
    set: z
      .object({
        id: z.string().describe('The same for all holds that were granted together.'),
        size: z.int().min(2).describe('How many those were.'),
      })
      .exactOptional()
      .describe('Only where it was taken together with other locks.'),
  })
  .describe('One live hold.');

export const waiter = z
  .object({
    place: z.int().min(1).describe('1 is next.'),
    ticket: z.int().min(0).describe('Names the place in the queue for as long as it is kept.'),
    mode,
    owner,
    service,
    enqueuedAt: z.int().describe('Since when it waits, in epoch milliseconds.'),
    waitedMs: z.int().min(0),
    patienceLeftMs: z.int().min(0).describe('How long it will still wait.'),
    setSize: z
      .int()
      .min(2)
      .exactOptional()
      .describe('Only of one that wants several locks together: how many.'),
  })
  .describe('One place in the queue.');
