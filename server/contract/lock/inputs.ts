import { z } from 'zod';
import { LEASE_MAX_MS, LEASE_MIN_MS, WAIT_MAX_MS } from '../namespace-policy';

/** Bytes of a text in UTF-8. */
const byteLength = (text: string) => new TextEncoder().encode(text).length;

const isWellFormed = (text: string) => {
  try {
    encodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

/** Text of 1 to `max` bytes of UTF-8 without NUL; all other characters are kept byte by byte. */
const exactText = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => !text.includes('\0'), 'must not contain NUL')
    .refine(isWellFormed, 'must be well-formed Unicode')
    .refine((text) => byteLength(text) <= max, `must be at most ${max} bytes of UTF-8`);

/** A lock's name: byte-exact, so `job`, `JOB`, `job ` and `jób` are four locks. */
export const lockName = exactText(200).describe(
  'The lock’s name: 1 to 200 bytes of UTF-8 without NUL, compared byte by byte. `job`, `JOB` and `job ` are three locks.',
);

/** A namespace's name: lower-case, as it appears in URLs and configuration. */
export const namespaceName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,62}$/,
    'must be 1 to 63 of a-z 0-9 . _ - and begin with a letter or digit',
  );

/** The caller's name for itself. */
export const ownerName = exactText(100).describe(
  'The caller’s own name for itself, 1 to 100 bytes of UTF-8, such as `orders-7f9c:worker-3`. A hold belongs to the key’s service and this owner.',
);

/** A fencing token. */
export const fencingToken = z
  .number()
  .int()
  .positive()
  .max(Number.MAX_SAFE_INTEGER)
  .describe('The fencing token that the grant told: a positive integer below 2^53.');

const META_MAX_BYTES = 1024;
/** A wait without a request id may not outlast one HTTP request. */
export const ANONYMOUS_WAIT_MAX_MS = 25_000;

export const leaseMs = z
  .number()
  .int()
  .min(LEASE_MIN_MS)
  .max(LEASE_MAX_MS)
  .describe('How long the hold lasts from now unless it is renewed: 100 ms to 24 h.');
/** The caller's id for one request. */
export const requestId = exactText(100).describe(
  'A text of your own, 1 to 100 bytes. One id is one step: asked again with the same id and input, the answer is the same and nothing happens twice. With another input it is `INVALID`.',
);

/** A key of `meta`. */
export const metaKey = exactText(100);

export const meta = z
  .record(
    metaKey,
    z.string().max(META_MAX_BYTES).refine(isWellFormed, 'must be well-formed Unicode'),
  )
  .refine((value) => byteLength(JSON.stringify(value)) <= META_MAX_BYTES, {
    message: `must be at most ${META_MAX_BYTES} bytes as JSON`,
  })
  .describe(
    'Texts that operators see with the hold, up to 1 KB as JSON; `host`, `pid` and `version` have places of their own.',
  );

export const namespace = namespaceName
  .default('default')
  .describe('A team’s space. An API key reaches only the namespaces that it was made for.');

/** The longest wait, over all requests with the same `requestId`. */
export const waitMs = z
  .number()
  .int()
  .min(0)
  .max(WAIT_MAX_MS)
  .default(0)
  .describe(
    'How long to queue, up to 10 min: the whole patience, over all requests with the same `requestId`. Over 25,000 it needs a `requestId`. 0 in a batch.',
  );

export const mode = z
  .enum(['exclusive', 'shared'])
  .default('exclusive')
  .describe('`exclusive`: alone. `shared`: together with other shared holds.');

export const acquireInput = z
  .strictObject({
    namespace,
    name: lockName,
    owner: ownerName,
    leaseMs,
    waitMs,
    mode,
    reentrant: z
      .boolean()
      .default(false)
      .describe('The same owner may enter again; it gets the same token and releases as often.'),
    meta: meta.default({}),
    requestId: requestId.optional(),
  })
  .refine((input) => input.waitMs <= ANONYMOUS_WAIT_MAX_MS || input.requestId !== undefined, {
    message: `is needed when waitMs is over ${ANONYMOUS_WAIT_MAX_MS}`,
    path: ['requestId'],
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
  prefix: lockName.describe('Only names that begin with this, byte by byte.').optional(),
  after: lockName.describe('Only names after this one: the `next` of the page before.').optional(),
  busy: z
    .boolean()
    .default(false)
    .describe('Only locks that are held, have lapsed, cannot be read, or are waited for.'),
  limit: z.number().int().min(1).max(LIST_LIMIT_MAX).default(100).describe('How many at most.'),
});

export const checkInput = z.strictObject({ namespace, name: lockName, token: fencingToken });

export type AcquireInput = z.output<typeof acquireInput>;
export type CancelInput = z.output<typeof cancelInput>;
export type RenewInput = z.output<typeof renewInput>;
export type ReleaseInput = z.output<typeof releaseInput>;
export type InspectInput = z.output<typeof inspectInput>;
export type ListInput = z.output<typeof listInput>;
export type CheckInput = z.output<typeof checkInput>;
