import { z } from 'zod';
import {
  cause,
  expiresAt,
  expiresInMs,
  holdCount,
  holder,
  queueLength,
  remark,
  retryAfterMs,
  rev,
  token,
  waiter,
} from '../answer-fields';
import { COUNTER_ANSWER_SCHEMAS } from '../counter/answer-schemas';
import { MULTI_LOCK_ANSWER_SCHEMAS } from '../multi-lock/answer-schemas';

/**
 * The answers of the service API as schemas. Its published description is made from them, and tests
 * check real answers against them. Answers may gain fields, so callers must ignore unknown ones.
 */

/** An example of an answer. */
const like = (example: object) => ({ examples: [example] });

const granted = z
  .object({
    outcome: z.literal('granted'),
    token,
    rev,
    holdCount,
    expiresAt,
    expiresInMs,
    waitedMs: z.int().min(0).describe('How long it queued.'),
  })
  .describe('The lock is yours until `expiresAt`. Keep the token.')
  .meta(
    like({
      outcome: 'granted',
      token: 145000000000001,
      rev: 60500000001,
      holdCount: 1,
      expiresAt: 1795160030000,
      expiresInMs: 30000,
      waitedMs: 0,
    }),
  );

const elsewhere = { holders: z.array(holder), queueLength, retryAfterMs };

const held = z
  .object({ outcome: z.literal('held'), ...elsewhere })
  .describe('Somebody else has it, and `waitMs` was 0.')
  .meta(
    like({
      outcome: 'held',
      holders: [
        {
          owner: 'billing-2',
          service: 'billing',
          token: 145000000000001,
          mode: 'exclusive',
          holdCount: 1,
          grantedAt: 1795160000000,
          expiresAt: 1795160030000,
          expiresInMs: 21840,
        },
      ],
      queueLength: 0,
      retryAfterMs: 5000,
    }),
  );

const timeout = z
  .object({ outcome: z.literal('timeout'), ...elsewhere })
  .describe('Patience is over; final for this `requestId`.');

const queued = z
  .object({
    outcome: z.literal('queued'),
    ticket: z.int().min(0),
    place: z.int().min(1).describe('1 is next.'),
    patienceLeftMs: z
      .int()
      .min(0)
      .describe('What is left of `waitMs`, over all requests with this id.'),
  })
  .describe(
    'Still waiting after 25 s, or the server is closing: ask again at once with the very same input. The place is kept for 2 s without a request.',
  )
  .meta(like({ outcome: 'queued', ticket: 2, place: 1, patienceLeftMs: 94980 }));

const queueFull = z
  .object({ outcome: z.literal('queueFull'), queueLength, retryAfterMs })
  .describe('As many wait already as may.')
  .meta(like({ outcome: 'queueFull', queueLength: 200, retryAfterMs: 5000 }));

const frozen = z
  .object({ outcome: z.literal('frozen'), reason: z.string().describe('The operator’s words.') })
  .describe(
    'An operator lets nobody have the lock for now, and `waitMs` was 0. Whoever has patience is queued.',
  )
  .meta(like({ outcome: 'frozen', reason: 'the ledger is being repaired' }));

const ended = z
  .object({ outcome: z.literal('ended'), token, cause })
  .describe('This `requestId` was granted before, and that hold is over. It is not granted again.')
  .meta(like({ outcome: 'ended', token: 145000000000001, cause: 'released' }));

const cancelled = z
  .object({ outcome: z.literal('cancelled') })
  .describe('It waited, and waits no more.');
const cancelReleased = z
  .object({ outcome: z.literal('released') })
  .describe('It had been granted meanwhile; the hold is released.');
const cancelNone = z
  .object({ outcome: z.literal('none') })
  .describe('There is nothing to take back.');

const renewed = z
  .object({
    outcome: z.literal('renewed'),
    rev,
    expiresAt,
    expiresInMs,
    askedToRelease: remark(
      'An operator asks for the lock. The holder decides; finishing soon is polite.',
    ).exactOptional(),
    renewalsStopped: remark(
      'Renewals prolong this hold no more: `expiresAt` stays, and the hold ends then.',
    ).exactOptional(),
  })
  .describe('The lease runs anew. It is never shortened.')
  .meta(
    like({
      outcome: 'renewed',
      rev: 60500000004,
      expiresAt: 1795160061000,
      expiresInMs: 60000,
    }),
  );

const lost = z
  .object({
    outcome: z.literal('lost'),
    cause,
    at: z.int().describe('The latest instant at which it surely was over, in epoch milliseconds.'),
    by: z.string().exactOptional().describe('Who ended it by force.'),
    reason: z.string().exactOptional().describe('Why, in that person’s words.'),
  })
  .describe('The hold is over. Stop what the lock guarded.')
  .meta(
    like({
      outcome: 'lost',
      cause: 'forced',
      at: 1795160002000,
      by: 'ana',
      reason: 'host is gone',
    }),
  );

const released = z.object({ outcome: z.literal('released') }).describe('The lock is free.');
const decremented = z
  .object({ outcome: z.literal('decremented'), holdCount })
  .describe('It was entered more than once: as many releases are still due as `holdCount` says.')
  .meta(like({ outcome: 'decremented', holdCount: 1 }));

export const acquireAnswer = z.discriminatedUnion('outcome', [
  granted,
  held,
  queued,
  timeout,
  queueFull,
  frozen,
  ended,
]);
export const cancelAnswer = z.discriminatedUnion('outcome', [
  cancelled,
  cancelReleased,
  cancelNone,
]);
export const renewAnswer = z.discriminatedUnion('outcome', [renewed, lost]);
export const releaseAnswer = z.discriminatedUnion('outcome', [released, decremented, lost]);

const LOCK_STATES = ['free', 'held', 'expired', 'delayed', 'frozen'] as const;

export const inspectAnswer = z
  .object({
    state: z
      .enum(LOCK_STATES)
      .describe(
        '`expired`: the last hold lapsed and nobody has taken the lock since. `delayed`: in the pause after a hold that was lost. `frozen`: nobody new is granted, whether or not somebody holds it.',
      ),
    rev,
    holders: z.array(holder),
    waiters: z.array(waiter).describe('In the order in which they will be granted.'),
    frozen: remark('Who froze the lock, and why.').exactOptional(),
    delayedUntil: z
      .int()
      .exactOptional()
      .describe('The end of the pause in epoch milliseconds; only while it lasts.'),
    minValidToken: z
      .int()
      .min(0)
      .describe('A resource that remembers the highest token may refuse every one below this.'),
  })
  .describe('What the lock is right now.')
  .meta(
    like({
      state: 'held',
      rev: 60500000004,
      holders: [
        {
          owner: 'billing-1',
          service: 'billing',
          token: 145000000000001,
          mode: 'exclusive',
          holdCount: 1,
          grantedAt: 1795160000000,
          expiresAt: 1795160061000,
          expiresInMs: 59990,
        },
      ],
      waiters: [],
      minValidToken: 145000000000001,
    }),
  );

const listedLock = z
  .object({
    name: z.string().describe('Its name, byte by byte.'),
    state: z
      .enum([...LOCK_STATES, 'unknown'])
      .describe(
        '`unknown`: its backend does not answer, and this is the last good reading; or its record cannot be read.',
      ),
    rev,
    holders: z.array(holder),
    queueLength,
    unreadable: z
      .string()
      .exactOptional()
      .describe('What is wrong with a record that cannot be read.'),
  })
  .describe('One lock as the server last read it.');

export const listAnswer = z
  .object({
    locks: z.array(listedLock).describe('In the byte order of their names.'),
    next: z.string().nullable().describe('Give it as `after` for the next page; null on the last.'),
    ageMs: z.int().min(0).describe('How long ago the server last looked.'),
  })
  .describe('One page of the locks of a namespace.');

export const checkAnswer = z
  .object({
    valid: z.boolean().describe('That hold is live: true of the moment of the answer only.'),
  })
  .describe('Whether a token still counts.')
  .meta(like({ valid: true }));

/** Every schema with a name of its own in the API's description. */
export const ANSWER_SCHEMAS = {
  Holder: holder,
  Waiter: waiter,
  Granted: granted,
  Held: held,
  Timeout: timeout,
  Queued: queued,
  QueueFull: queueFull,
  Frozen: frozen,
  Ended: ended,
  Cancelled: cancelled,
  CancelReleased: cancelReleased,
  CancelNone: cancelNone,
  Renewed: renewed,
  Lost: lost,
  Released: released,
  Decremented: decremented,
  AcquireAnswer: acquireAnswer,
  CancelAnswer: cancelAnswer,
  RenewAnswer: renewAnswer,
  ReleaseAnswer: releaseAnswer,
  InspectAnswer: inspectAnswer,
  ListedLock: listedLock,
  ListAnswer: listAnswer,
  CheckAnswer: checkAnswer,
  ...MULTI_LOCK_ANSWER_SCHEMAS,
  ...COUNTER_ANSWER_SCHEMAS,
} as const satisfies Record<string, z.ZodType>;
