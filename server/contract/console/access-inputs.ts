import { z } from 'zod';
import { KEY_GRACE_MAX_MS, KEY_GRACE_MS, keyPrefix, keyVerbs } from '../key-limits';
import {
  LEASE_MAX_MS,
  LEASE_MIN_MS,
  LOCK_DELAY_MAX_MS,
  MAX_LOCKS_MAX,
  QUEUE_LIMIT_MAX,
  REQUIRED_META_MAX,
  STUCK_AFTER_MAX_MS,
  WAIT_MAX_MS,
} from '../namespace-policy';
import { metaKey, namespaceName } from '../primitives';
import { operatorReason, password, role, serviceName, userName } from './console-inputs';

/** What was typed to sign in. Its form is not checked: a bad name must look like a bad password. */
export const signInInput = z.strictObject({
  name: z.string().min(1).max(200),
  password: z.string().min(1).max(1_000),
});
export type SignInInput = z.output<typeof signInInput>;

export const setupInput = z.strictObject({
  /** From the link that the server printed. */
  token: z.string().min(1).max(200),
  name: userName,
  password,
});
export type SetupInput = z.output<typeof setupInput>;

export const changePasswordInput = z.strictObject({
  current: z.string().min(1).max(1_000),
  next: password,
});
export type ChangePasswordInput = z.output<typeof changePasswordInput>;

/** A session of the caller's own, by the id that the list of them shows. */
export const sessionRef = z.strictObject({ id: z.string().min(1).max(24) });
export type SessionRef = z.output<typeof sessionRef>;

export const createPersonInput = z.strictObject({ name: userName, role, password });
export type CreatePersonInput = z.output<typeof createPersonInput>;

const id = z.string().min(1).max(24);

export const setRoleInput = z.strictObject({ id, role });
export type SetRoleInput = z.output<typeof setRoleInput>;

export const setDisabledInput = z.strictObject({ id, disabled: z.boolean() });
export type SetDisabledInput = z.output<typeof setDisabledInput>;

export const resetPasswordInput = z.strictObject({ id, password });
export type ResetPasswordInput = z.output<typeof resetPasswordInput>;

export const endUserSessionsInput = z.strictObject({ id });
export type EndUserSessionsInput = z.output<typeof endUserSessionsInput>;

export const removeUserInput = z.strictObject({ id });
export type RemoveUserInput = z.output<typeof removeUserInput>;

export const keyListInput = z.strictObject({
  /** Keys older than this one, from a page's `older`. */
  before: z
    .string()
    .regex(/^\d{1,16}\.[\w-]{1,24}$/, 'must be the older of a page')
    .optional(),
  limit: z.number().int().min(1).max(500).default(100),
});
export type KeyListInput = z.output<typeof keyListInput>;

export const keyNamespaces = z
  .array(namespaceName)
  .max(100)
  .refine((names) => new Set(names).size === names.length, 'must not name a namespace twice');

/** The latest expiry: in the year 2286. */
export const EXPIRES_AT_MAX = 9_999_999_999_999;

/** Instants of the server's clock. */
const expiresAt = z.number().int().min(0).max(EXPIRES_AT_MAX);

const KEY_LIFE_MIN_MS = 60_000;
const KEY_LIFE_MAX_MS = 3_653 * 24 * 60 * 60_000;

/** Milliseconds from now, for callers whose clock may differ. */
const expiresInMs = z.number().int().min(KEY_LIFE_MIN_MS).max(KEY_LIFE_MAX_MS);

interface EitherExpiry {
  expiresAt?: number | null | undefined;
  expiresInMs?: number | undefined;
}
const hasOneExpiry = (input: EitherExpiry) =>
  input.expiresAt === undefined || input.expiresInMs === undefined;
const TWO_EXPIRIES = { message: 'must not be named twice', path: ['expiresInMs'] };

export const createKeyInput = z
  .strictObject({
    name: serviceName,
    /** Empty for a witness. */
    namespaces: keyNamespaces.default([]),
    /** For `lockyard witness`: the key can report on processes, and do nothing else. */
    witness: z.boolean().optional(),
    /** Limits the key to names that begin with this. */
    prefix: keyPrefix.optional(),
    /** Limits the key to these kinds of calls. */
    verbs: keyVerbs.optional(),
    expiresAt: expiresAt.optional(),
    expiresInMs: expiresInMs.optional(),
  })
  .refine(({ namespaces, witness = false }) => witness === (namespaces.length === 0), {
    message: 'must name at least one, or none if the key is for a witness',
    path: ['namespaces'],
  })
  .refine(({ prefix, verbs, witness = false }) => !witness || (prefix ?? verbs) === undefined, {
    message: 'the key of a witness has neither a prefix nor verbs',
    path: ['witness'],
  })
  .refine(hasOneExpiry, TWO_EXPIRIES);
export type CreateKeyInput = z.output<typeof createKeyInput>;

/** A field that is absent does not change; null removes the limit. */
export const changeKeyInput = z
  .strictObject({
    id,
    namespaces: keyNamespaces.min(1).optional(),
    prefix: keyPrefix.nullable().optional(),
    verbs: keyVerbs.nullable().optional(),
    expiresAt: expiresAt.nullable().optional(),
    expiresInMs: expiresInMs.optional(),
  })
  .refine(hasOneExpiry, TWO_EXPIRIES);
export type ChangeKeyInput = z.output<typeof changeKeyInput>;

export const rotateKeyInput = z.strictObject({
  id,
  /** How long the old secret is accepted beside the new one. */
  graceMs: z.number().int().min(0).max(KEY_GRACE_MAX_MS).default(KEY_GRACE_MS),
});
export type RotateKeyInput = z.output<typeof rotateKeyInput>;

export const revokeKeyInput = z.strictObject({ id });
export type RevokeKeyInput = z.output<typeof revokeKeyInput>;

/** The id of a backend or a gate: its name in the environment, in lower case. */
export const storeId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_]{0,31}$/, 'must be 1 to 32 of a-z 0-9 _');

const policyLease = z.number().int().min(LEASE_MIN_MS).max(LEASE_MAX_MS);

/** A policy, each field of which is within its own bounds. */
export const namespacePolicyBounds = z.strictObject({
  leaseMinMs: policyLease,
  leaseMaxMs: policyLease,
  patienceMaxMs: z.number().int().min(0).max(WAIT_MAX_MS),
  queueLimit: z.number().int().min(0).max(QUEUE_LIMIT_MAX),
  lockDelayMs: z.number().int().min(0).max(LOCK_DELAY_MAX_MS),
  requiredMeta: z
    .array(metaKey.refine((key) => key !== '__proto__', '__proto__ is not a key'))
    .max(REQUIRED_META_MAX)
    .refine((keys) => new Set(keys).size === keys.length, 'must not name a key twice'),
  stuckAfterMs: z.number().int().min(0).max(STUCK_AFTER_MAX_MS).default(0),
  standbyExpected: z.boolean().default(false),
  releaseOrphans: z.boolean().default(false),
  /** Absent: the default, or more if the namespace had more when this limit was introduced. */
  maxLocks: z.number().int().min(1).max(MAX_LOCKS_MAX).optional(),
  /** The id of a Redis that this server uses as a gate; null: none. */
  gate: storeId.nullable().optional(),
});

const namespacePolicy = namespacePolicyBounds.refine(
  (policy) => policy.leaseMinMs <= policy.leaseMaxMs,
  { message: 'must not be below leaseMinMs', path: ['leaseMaxMs'] },
);

export const createNamespaceInput = z.strictObject({
  name: namespaceName,
  backend: storeId.default('default'),
  /** Absent: the default policy, including its later changes. */
  policy: namespacePolicy.optional(),
});
export type CreateNamespaceInput = z.output<typeof createNamespaceInput>;

export const setNamespacePolicyInput = z.strictObject({
  name: namespaceName,
  /** Null: the default policy, including its later changes. */
  policy: namespacePolicy.nullable(),
  /** The policy that the operator saw, which must be in force; null: the default; absent: any. */
  seen: namespacePolicy.nullable().optional(),
  reason: operatorReason,
});
export type SetNamespacePolicyInput = z.output<typeof setNamespacePolicyInput>;

export const removeNamespaceInput = z.strictObject({ name: namespaceName, reason: operatorReason });
export type RemoveNamespaceInput = z.output<typeof removeNamespaceInput>;
