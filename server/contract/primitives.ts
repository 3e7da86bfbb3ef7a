import { z } from 'zod';
import { exactText, fits, isWellFormed } from './exact-text';
import { LEASE_MAX_MS, LEASE_MIN_MS, NAMESPACE_NAME, WAIT_MAX_MS } from './namespace-policy';
import { holderTraceparent } from './traceparent';

/** A lock's name: byte-exact, so `job`, `JOB`, `job ` and `jób` are four locks. */
export const lockName = exactText(200).describe(
  'The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. `job`, `JOB` ' +
    'and `job ` are three locks.',
);

/** A prefix of lock names; empty: of all names. */
export const lockPrefix = exactText(200, 0);

/** A namespace's name: lower-case, as it appears in URLs and configuration. */
export const namespaceName = z
  .string()
  .regex(NAMESPACE_NAME, 'must be 1 to 63 of a-z 0-9 . _ - and begin with a letter or digit');

/** The caller's name for itself. */
export const ownerName = exactText(100).describe(
  'The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as ' +
    '`orders-7f9c:worker-3`. A hold belongs to the key’s service and this owner.',
);

/** A fencing token. */
export const fencingToken = z
  .number()
  .int()
  .positive()
  .max(Number.MAX_SAFE_INTEGER)
  .describe('The fencing token of the grant: a positive integer below 2^53.');

const META_MAX_BYTES = 1024;

/** A wait without a request id must not outlast one HTTP request. */
export const ANONYMOUS_WAIT_MAX_MS = 25_000;

export const leaseMs = z
  .number()
  .int()
  .min(LEASE_MIN_MS)
  .max(LEASE_MAX_MS)
  .describe('The hold ends after this time unless it is renewed: 100 ms to 24 h.');

/** The caller's id for one request. */
export const requestId = exactText(100).describe(
  'Chosen by the caller, 1 to 100 bytes. Makes the call idempotent: repeated with the same ' +
    'id and input, it gets the same answer and is not applied twice. With another input it is ' +
    '`INVALID`.',
);

/** A key of `meta`. */
export const metaKey = exactText(100);

/** A text that is too long is refused for its length, before anything else is checked. */
const metaText = z.string().max(META_MAX_BYTES, { abort: true });

export const meta = z
  .record(metaKey, metaText.refine(isWellFormed, 'must be well-formed Unicode'))
  .refine((value) => fits(JSON.stringify(value), META_MAX_BYTES), {
    message: `must be at most ${META_MAX_BYTES} bytes as JSON`,
  })
  .describe(
    'Texts that operators see with the hold, up to 1 KB as JSON; `host`, `pid` and `version` ' +
      'have their own fields.',
  );

export const namespace = namespaceName
  .default('default')
  .describe(
    'A group of locks with a policy. An API key is valid only for the namespaces that it was ' +
      'created for.',
  );

/** The longest wait, over all requests with the same `requestId`. */
export const waitMs = z
  .number()
  .int()
  .min(0)
  .max(WAIT_MAX_MS)
  .default(0)
  .describe(
    'How long to wait, up to 10 min, over all requests with the same `requestId`, which is ' +
      'required over 25,000. Must be 0 in a batch.',
  );

/** How long a lock stays taken, even if it is released sooner. */
export const holdAtLeastMs = z
  .number()
  .int()
  .min(0)
  .max(LEASE_MAX_MS)
  .optional()
  .describe(
    'The lock stays taken for at least this long after the grant, even if it is released sooner; ' +
      'at most `leaseMs`. For jobs that several machines start at about the same time, but only ' +
      'one should run. An operator can end it.',
  );

/** Refuses a `holdAtLeastMs` beyond the lease, which would not be kept if the holder died. */
export const coveredByLease = (input: { holdAtLeastMs?: number | undefined; leaseMs: number }) =>
  (input.holdAtLeastMs ?? 0) <= input.leaseMs;

export const NOT_COVERED = { message: 'must be at most leaseMs', path: ['holdAtLeastMs'] };

const MODES =
  '`exclusive`: alone. `shared`: together with other shared holds. `permit`: together with other ' +
  'permit holds, as long as their `permits` add up to no more than the lock’s `capacity`.';

/** Whether a hold is alone or shares its lock with others. */
export const mode = z.enum(['exclusive', 'shared', 'permit']).describe(MODES);

/** `mode` as an input, with `exclusive` as the default. */
export const modeInput = mode.default('exclusive').describe(MODES);

/** The highest capacity of a lock in mode permit. */
const CAPACITY_MAX = 10_000;

/** How many permits a hold has or a caller wants. */
export const permits = z
  .int()
  .min(1)
  .max(CAPACITY_MAX)
  .describe('Only in mode `permit`: the number of permits.');

/** How many permits of a lock may be held at the same time. */
export const capacity = z.int().min(1).max(CAPACITY_MAX);

/** The permits of a lock; absent unless a hold or a waiter is in mode permit. */
export const permitUse = z
  .object({
    capacity: capacity.describe('How many permits may be held at the same time.'),
    inUse: z.int().min(0).describe('How many are held. Over `capacity` only if it was lowered.'),
    named: capacity
      .exactOptional()
      .describe(
        'Only after an operator’s change: the capacity that callers named before, and still can.',
      ),
  })
  .describe('The permits of a lock, as long as any are held or waited for.');

export const token = z
  .int()
  .positive()
  .describe('The fencing token of the hold: higher than that of every earlier grant.');

export const rev = z
  .int()
  .min(0)
  .describe('The lock’s version: one more for each accepted change.');

export const holdCount = z
  .int()
  .min(1)
  .describe('How often the owner has entered, and must release.');

export const queueLength = z.int().min(0).describe('The number of waiters.');

export const retryAfterMs = z.int().min(0).describe('When to try again, in milliseconds from now.');

/** In an answer to a call that still waits. */
export const patienceLeftMs = z
  .int()
  .min(0)
  .describe('What is left of `waitMs`, over all requests with this id.');

/** What the caller of a call that still waits has to do. */
export const STILL_WAITING =
  'Still waiting after 25 s, or the server is shutting down: repeat the same call immediately. ' +
  'Without a request the place is kept for 2 s.';

export const operatorReason = z.string().describe('The operator’s reason.');

export const expiresAt = z
  .int()
  .describe('The end of the lease, in epoch milliseconds of the backend’s clock.');

export const expiresInMs = z
  .int()
  .describe('What is left of the lease, in milliseconds, for callers whose clock differs.');

/** In the answer to a release before the end of `holdAtLeastMs`. */
export const freesAt = z
  .int()
  .exactOptional()
  .describe('Only before the end of `holdAtLeastMs`: the lock stays taken until this instant.');

export const freesInMs = z.int().min(0).exactOptional().describe('The time left until `freesAt`.');

const owner = z.string().describe('The holder’s or waiter’s own name for itself.');

const service = z.string().describe('The name of its API key.');

export const cause = z
  .enum(['expired', 'released', 'forced', 'superseded'])
  .describe(
    'How the hold ended. `forced`: by an operator. `superseded`: not recorded, since it ended ' +
      'too long ago or was never granted.',
  );

/** An operator's message to a holder, or a freeze, with its reason. */
export const remark = z.object({
  by: z.string().describe('The operator’s name.'),
  reason: z.string().describe('The operator’s reason.'),
  at: z.int().describe('When, in epoch milliseconds.'),
});

/** Marks grants that were made together: `size` holds with the same `id`. */
const multiLockMark = z.object({
  id: z.string().describe('The same for all holds of one `lock.acquireMany`.'),
  size: z.int().min(2).describe('The number of these holds.'),
});

export const holder = z
  .object({
    owner,
    service,
    token,
    mode,
    permits: permits.exactOptional(),
    holdCount,
    grantedAt: z.int().describe('When it was granted, in epoch milliseconds.'),
    expiresAt,
    expiresInMs,
    keptUntil: z
      .int()
      .exactOptional()
      .describe('Only with `holdAtLeastMs`: the lock stays taken at least until then.'),
    releasedAt: z
      .int()
      .exactOptional()
      .describe(
        'When its holder released it, before `keptUntil`. The lock is still taken, and frees at ' +
          '`expiresAt`.',
      ),
    set: multiLockMark.exactOptional().describe('Only for a hold of a `lock.acquireMany`.'),
    role: z
      .string()
      .exactOptional()
      .describe('The `role` in the `meta` of the hold, such as `leader`; absent without one.'),
    traceparent: holderTraceparent,
  })
  .describe('One live hold.');

export const waiter = z
  .object({
    place: z.int().min(1).describe('1 is next.'),
    ticket: z.int().min(0).describe('Identifies the waiter; lower tickets are served first.'),
    mode,
    permits: permits.exactOptional(),
    owner,
    service,
    enqueuedAt: z.int().describe('When it began to wait, in epoch milliseconds.'),
    waitedMs: z.int().min(0),
    patienceLeftMs: z.int().min(0).describe('How much longer it will wait.'),
    setSize: z
      .int()
      .min(2)
      .exactOptional()
      .describe('Only for a `lock.acquireMany`: how many locks it wants.'),
  })
  .describe('One waiter in the queue.');

/** Durations end in `Ms`; instants are epoch milliseconds on the clock of the lock's backend. */
export type Mode = z.output<typeof mode>;
export type PermitUse = z.output<typeof permitUse>;
export type Meta = z.output<typeof meta>;
export type EndCause = z.output<typeof cause>;
export type Remark = z.output<typeof remark>;
export type MultiLockMark = z.output<typeof multiLockMark>;
export type HolderView = z.output<typeof holder>;
export type WaiterView = z.output<typeof waiter>;
