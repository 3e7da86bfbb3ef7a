import { z } from 'zod';
import {
  cause,
  expiresAt,
  expiresInMs,
  freesAt,
  freesInMs,
  holdCount,
  holder,
  operatorReason,
  patienceLeftMs,
  permitUse,
  queueLength,
  remark,
  retryAfterMs,
  rev,
  STILL_WAITING,
  token,
  waiter,
} from '../primitives';
import { waitedForTraceparent } from '../traceparent';

/** The metadata of an answer with this example. */
const like = (example: object) => ({ examples: [example] });

export const granted = z
  .object({
    outcome: z.literal('granted'),
    token,
    rev,
    holdCount,
    expiresAt,
    expiresInMs,
    waitedMs: z.int().min(0).describe('How long the call waited.'),
    waitedForTraceparent,
  })
  .describe('The lock is held until `expiresAt`. Keep the token.')
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

const blockedFields = { holders: z.array(holder), queueLength, retryAfterMs };

export const held = z
  .object({ outcome: z.literal('held'), ...blockedFields })
  .describe('Another owner holds it, and `waitMs` was 0.')
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

export const timeout = z
  .object({ outcome: z.literal('timeout'), ...blockedFields })
  .describe('Not granted within `waitMs`; final for this `requestId`.');

export const queued = z
  .object({
    outcome: z.literal('queued'),
    ticket: z.int().min(0),
    place: z.int().min(1).describe('1 is next.'),
    patienceLeftMs,
  })
  .describe(STILL_WAITING)
  .meta(like({ outcome: 'queued', ticket: 2, place: 1, patienceLeftMs: 94980 }));

export const queueFull = z
  .object({ outcome: z.literal('queueFull'), queueLength, retryAfterMs })
  .describe('The queue is full.')
  .meta(like({ outcome: 'queueFull', queueLength: 200, retryAfterMs: 5000 }));

export const frozen = z
  .object({ outcome: z.literal('frozen'), reason: operatorReason })
  .describe('An operator has frozen the lock, and `waitMs` was 0. With a wait it is queued.')
  .meta(like({ outcome: 'frozen', reason: 'the ledger is being repaired' }));

export const ended = z
  .object({ outcome: z.literal('ended'), token, cause })
  .describe(
    'This `requestId` was granted before, and that hold has ended. It is not granted again.',
  )
  .meta(like({ outcome: 'ended', token: 145000000000001, cause: 'released' }));

export const cancelled = z
  .object({ outcome: z.literal('cancelled') })
  .describe('It has left the queue.');
export const cancelReleased = z
  .object({ outcome: z.literal('released') })
  .describe('It was granted meanwhile; the hold is released.');
export const cancelNone = z
  .object({ outcome: z.literal('none') })
  .describe('There is nothing to cancel.');

export const renewed = z
  .object({
    outcome: z.literal('renewed'),
    rev,
    expiresAt,
    expiresInMs,
    askedToRelease: remark
      .describe('An operator asks for the lock. The holder decides; it should finish soon.')
      .exactOptional(),
    renewalsStopped: remark
      .describe('Renewals no longer extend this hold: it ends at `expiresAt`.')
      .exactOptional(),
  })
  .describe('The lease was restarted. It is never shortened.')
  .meta(
    like({
      outcome: 'renewed',
      rev: 60500000004,
      expiresAt: 1795160061000,
      expiresInMs: 60000,
    }),
  );

export const lost = z
  .object({
    outcome: z.literal('lost'),
    cause,
    at: z
      .int()
      .describe('The latest instant at which it had certainly ended, in epoch milliseconds.'),
    by: z.string().exactOptional().describe('The operator who ended it.'),
    reason: z.string().exactOptional().describe('The operator’s reason.'),
  })
  .describe('The hold has ended. Stop the work that the lock guards.')
  .meta(
    like({
      outcome: 'lost',
      cause: 'forced',
      at: 1795160002000,
      by: 'ana',
      reason: 'host is gone',
    }),
  );

export const released = z
  .object({ outcome: z.literal('released'), freesAt, freesInMs })
  .describe('The hold has ended. The lock is free, or stays taken until `freesAt`.');
export const decremented = z
  .object({ outcome: z.literal('decremented'), holdCount })
  .describe('The owner had entered more than once: `holdCount` releases are left.')
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
/** The answers to an acquire that was not granted because of other holders or waiters. */
export const heldOrTimeout = z.discriminatedUnion('outcome', [held, timeout]);
export const cancelAnswer = z.discriminatedUnion('outcome', [
  cancelled,
  cancelReleased,
  cancelNone,
]);
/** `released`: its holder has released it before the end of `holdAtLeastMs`. */
export const renewAnswer = z.discriminatedUnion('outcome', [renewed, released, lost]);
export const releaseAnswer = z.discriminatedUnion('outcome', [released, decremented, lost]);

/**
 * The present state of a lock. `expired`: its last hold expired, and there has been no grant since.
 * `delayed`: in the pause after a lost hold. `frozen`: no new grants, whether or not it is held.
 */
export const LOCK_STATES = ['free', 'held', 'expired', 'delayed', 'frozen'] as const;
export type LockState = (typeof LOCK_STATES)[number];

export const inspectAnswer = z
  .object({
    state: z
      .enum(LOCK_STATES)
      .describe(
        '`expired`: the last hold expired, and there has been no grant since. `delayed`: in the ' +
          'pause after a lost hold. `frozen`: no new grants, whether or not it is held.',
      ),
    rev,
    holders: z.array(holder),
    permits: permitUse.exactOptional(),
    waiters: z.array(waiter).describe('In the order in which they will be granted.'),
    frozen: remark.describe('Who froze the lock, and why.').exactOptional(),
    delayedUntil: z
      .int()
      .exactOptional()
      .describe('The end of the pause in epoch milliseconds; only while it lasts.'),
    minValidToken: z
      .int()
      .min(0)
      .describe('A resource that stores the highest token can reject every token below this.'),
  })
  .describe('The state of the lock now.')
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

export const listedLock = z
  .object({
    name: z.string().describe('Its name, byte by byte.'),
    state: z
      .enum([...LOCK_STATES, 'unknown'])
      .describe(
        '`unknown`: its backend does not respond, or has not been read since it does again, and ' +
          'this is the last reading; or its record cannot be read.',
      ),
    rev,
    holders: z.array(holder),
    permits: permitUse.exactOptional(),
    queueLength,
    unreadable: z.string().exactOptional().describe('Why its record cannot be read.'),
  })
  .describe('One lock as the server last read it.');

export const listAnswer = z
  .object({
    locks: z.array(listedLock).describe('In the byte order of their names.'),
    next: z.string().nullable().describe('The `after` of the next page; null on the last page.'),
    ageMs: z.int().min(0).describe('The age of this list.'),
  })
  .describe('One page of the locks of a namespace.');

export const checkAnswer = z
  .object({
    valid: z.boolean().describe('Whether that hold is live at the time of the answer.'),
  })
  .describe('Whether a token is still valid.')
  .meta(like({ valid: true }));

export type Granted = z.output<typeof granted>;
export type Held = z.output<typeof heldOrTimeout>;
export type Renewed = z.output<typeof renewed>;
export type Released = z.output<typeof released>;
export type Lost = z.output<typeof lost>;
export type AcquireAnswer = z.output<typeof acquireAnswer>;
export type CancelAnswer = z.output<typeof cancelAnswer>;
export type RenewAnswer = z.output<typeof renewAnswer>;
export type ReleaseAnswer = z.output<typeof releaseAnswer>;
export type InspectAnswer = z.output<typeof inspectAnswer>;
export type ListedLock = z.output<typeof listedLock>;
export type ListAnswer = z.output<typeof listAnswer>;
export type CheckAnswer = z.output<typeof checkAnswer>;
