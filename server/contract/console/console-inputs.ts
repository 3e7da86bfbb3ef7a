import { z } from 'zod';
import { LEASE_MAX_MS } from '../namespace-policy';
import { capacity, fencingToken, lockName, namespaceName, requestId } from '../primitives';
import {
  isVisible,
  LOCK_SORTS,
  LOCK_STATUSES,
  PASSWORD_MIN_CHARS,
  REASON_MAX_CHARS,
  REASON_MIN_CHARS,
  ROLES,
} from './console-terms';
import { INSIGHT_RANGES } from './insight-row';
import { HOLDER_SEARCH_MAX } from './waits/holder-rows';

/** An operator's reason for an action, which is stored in the history and the audit log. */
export const operatorReason = z
  .string()
  .trim()
  .min(REASON_MIN_CHARS)
  .max(REASON_MAX_CHARS)
  // It is stored unchanged, since a repeated action is also recognised by its reason.
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
  .refine(isVisible, 'must be visible');

export const role = z.enum(ROLES);

export const userName = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._@-]*$/u, 'must be letters, digits, spaces and . _ @ -')
  .refine((name) => !/\p{Default_Ignorable_Code_Point}/u.test(name), 'must be visible')
  .refine((name) => new TextEncoder().encode(name).length <= 128, 'must be at most 128 bytes');

export const password = z.string().min(PASSWORD_MIN_CHARS).max(256);

export const serviceName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/, 'must be 1 to 40 of A-Z a-z 0-9 . _ -');

/** Excludes events after this instant of the backend's clock, such as a past row's `readAt`. */
export const lastInstant = z
  .number()
  .int()
  .min(0)
  .max(Number.MAX_SAFE_INTEGER - 1);

const backendId = z.string().min(1).max(32);

/** What the lock list shows; the page's URL uses the same field names. */
export const lockListInput = z.strictObject({
  /** Only locks that need attention, or did within the last 30 s. */
  attention: z.boolean().default(false),
  status: z.enum(LOCK_STATUSES).optional(),
  namespace: namespaceName.optional(),
  /** A backend's id as the console shows it. */
  backend: backendId.optional(),
  /** Part of a name, an owner, a service or a token. */
  search: z.string().max(200).optional(),
  sort: z.enum(LOCK_SORTS).default('worst'),
  descending: z.boolean().default(false),
  /** The number of rows before the window. */
  offset: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  limit: z.number().int().min(1).max(1_000).default(200),
});
export type LockListInput = z.output<typeof lockListInput>;

export const lockRef = z.strictObject({ namespace: namespaceName, name: lockName });

/** A backend by its id: its name in the environment, in lower case. */
export const backendRef = z.strictObject({ backend: backendId });

/** The id of the last message before an interruption, after which the lock list resumes. */
const resumed = { lastEventId: z.string().max(64).nullish() };

export const watchLocksInput = z.strictObject({ ...lockListInput.shape, ...resumed });
export const watchLockInput = z.strictObject({ ...lockRef.shape, ...resumed });

export const watchWaitsInput = z.strictObject(resumed);

/** The processes that are listed. */
export const holderSearch = {
  /** Part of a service, an owner, a host, a pid or a version. */
  search: z.string().max(HOLDER_SEARCH_MAX).trim().optional(),
};

export const watchHoldersInput = z.strictObject({ ...holderSearch, ...resumed });
export type WatchHoldersInput = z.output<typeof watchHoldersInput>;

/** A process by its id on the page Holders. */
export const processRef = z.strictObject({ process: z.string().min(1).max(32) });

export const lockEventsInput = z.strictObject({
  namespace: namespaceName,
  name: lockName,
  /** Events older than this one, from a page's `older`. */
  before: z.string().max(80).optional(),
  until: lastInstant.optional(),
  limit: z.number().int().min(1).max(200).default(50),
});

export const lockInsightInput = z.strictObject({
  ...lockRef.shape,
  range: z.enum(INSIGHT_RANGES).default('1h'),
});
export type LockInsightInput = z.output<typeof lockInsightInput>;

/** The hold that the operator saw: the action applies to it or changes nothing. */
const seenHold = {
  namespace: namespaceName,
  name: lockName,
  token: fencingToken,
  rev: z.number().int().nonnegative(),
  /** A repeat with the same id changes nothing and gets the first answer. */
  requestId: requestId.optional(),
};

export const forceReleaseInput = z.strictObject({ ...seenHold, reason: operatorReason });
export type ForceReleaseInput = z.output<typeof forceReleaseInput>;

export const reassignInput = z.strictObject({
  ...seenHold,
  /** The ticket of the waiter that gets the lock: it does not change while the waiter waits. */
  ticket: z.number().int().positive().max(Number.MAX_SAFE_INTEGER),
  reason: operatorReason,
});
export type ReassignInput = z.output<typeof reassignInput>;

export const extendInput = z.strictObject({
  ...seenHold,
  extendMs: z.number().int().min(1_000).max(LEASE_MAX_MS),
  reason: operatorReason,
});
export type ExtendInput = z.output<typeof extendInput>;

export const releaseRequestInput = z.strictObject({ ...seenHold, reason: operatorReason });
export type ReleaseRequestInput = z.output<typeof releaseRequestInput>;

/** Takes on a lock for an operator. It needs no reason, since it does not change the lock. */
export const takeOnInput = z.strictObject({
  namespace: namespaceName,
  name: lockName,
  /** The token of the hold that the operator saw; null: the lock was not held. */
  token: fencingToken.nullable(),
});
export type TakeOnInput = z.output<typeof takeOnInput>;

export const stepBackInput = z.strictObject({ namespace: namespaceName, name: lockName });
export type StepBackInput = z.output<typeof stepBackInput>;

export const freezeInput = z.strictObject({
  namespace: namespaceName,
  name: lockName,
  /** The rev of the lock that the operator saw, for the audit log. */
  rev: z.number().int().nonnegative(),
  /** As for actions on holds. */
  requestId: requestId.optional(),
  reason: operatorReason,
});

export const unfreezeInput = freezeInput.extend({
  /** When the freeze that the operator saw began: no other freeze is lifted. Absent: any is. */
  seenAt: z.number().int().nonnegative().optional(),
});
export type UnfreezeInput = z.output<typeof unfreezeInput>;

export const setCapacityInput = z.strictObject({
  namespace: namespaceName,
  name: lockName,
  /** The capacity in force that the operator saw: nothing changes if it is another by now. */
  seenCapacity: capacity,
  capacity,
  /** As for a freeze. */
  rev: z.number().int().nonnegative(),
  requestId: requestId.optional(),
  reason: operatorReason,
});
export type SetCapacityInput = z.output<typeof setCapacityInput>;

const viewName = z
  .string()
  .trim()
  .min(1)
  .max(40)
  .refine(
    (name) => !/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(name),
    'must be visible',
  );

/** The part of the list's address after the `?`. */
const viewQuery = z.string().max(1_000);

/** A view of the lock list to save for the caller. */
export const saveViewInput = z.strictObject({ name: viewName, query: viewQuery });
export type SaveViewInput = z.output<typeof saveViewInput>;

export const changeViewInput = z.strictObject({
  id: z.string().min(1).max(24),
  name: viewName,
  query: viewQuery,
  /** The view that the user saw: nothing changes if it is another by now. */
  seen: z.strictObject({ name: z.string().max(40), query: viewQuery }),
});
export type ChangeViewInput = z.output<typeof changeViewInput>;

export const savedViewRef = z.strictObject({ id: z.string().min(1).max(24) });
export type SavedViewRef = z.output<typeof savedViewRef>;

export const auditListInput = z.strictObject({
  act: z.string().max(32).optional(),
  outcome: z.string().max(16).optional(),
  /** Part of an actor, a subject or a reason. */
  search: z.string().max(200).optional(),
  namespace: namespaceName.optional(),
  /** The exact subject of the action, such as a lock's name. */
  subject: z.string().min(1).max(255).optional(),
  /** The exact request id of an entry. */
  requestId: z.string().min(1).max(200).optional(),
  /** Only entries from this instant on, epoch milliseconds. */
  from: z.number().int().nonnegative().optional(),
  /** Only entries before this instant, epoch milliseconds. */
  to: z.number().int().nonnegative().optional(),
  /** Only entries with a smaller id. */
  before: z.number().int().positive().optional(),
  limit: z.number().int().min(1).max(200).default(50),
});
export type AuditListInput = z.output<typeof auditListInput>;
