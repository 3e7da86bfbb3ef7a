import { z } from 'zod';
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

export const createPersonInput = z.strictObject({ name: userName, role, password });
export type CreatePersonInput = z.output<typeof createPersonInput>;

const id = z.string().min(1).max(24);

export const setRoleInput = z.strictObject({ id, role });
export type SetRoleInput = z.output<typeof setRoleInput>;

export const setDisabledInput = z.strictObject({ id, disabled: z.boolean() });
export type SetDisabledInput = z.output<typeof setDisabledInput>;

export const resetPasswordInput = z.strictObject({ id, password });
export type ResetPasswordInput = z.output<typeof resetPasswordInput>;

export const createKeyInput = z
  .strictObject({
    name: serviceName,
    /** None for a witness. */
    namespaces: z
      .array(namespaceName)
      .max(100)
      .refine((names) => new Set(names).size === names.length, 'must not name a namespace twice')
      .default([]),
    /** For `lockyard witness`: the key may report on processes, and do nothing else. */
    witness: z.boolean().optional(),
  })
  .refine(({ namespaces, witness = false }) => witness === (namespaces.length === 0), {
    message: 'needs one at least, unless the key is for a witness, which has none',
    path: ['namespaces'],
  });
export type CreateKeyInput = z.output<typeof createKeyInput>;

export const revokeKeyInput = z.strictObject({ id });
export type RevokeKeyInput = z.output<typeof revokeKeyInput>;

/** A backend or a gate, by the id that the environment gives it, in lower case. */
const storeId = z.string().regex(/^[a-z0-9][a-z0-9_]{0,31}$/, 'must be 1 to 32 of a-z 0-9 _');

const policyLease = z.number().int().min(LEASE_MIN_MS).max(LEASE_MAX_MS);

const namespacePolicy = z
  .strictObject({
    leaseMinMs: policyLease,
    leaseMaxMs: policyLease,
    patienceMaxMs: z.number().int().min(0).max(WAIT_MAX_MS),
    queueLimit: z.number().int().min(0).max(QUEUE_LIMIT_MAX),
    lockDelayMs: z.number().int().min(0).max(LOCK_DELAY_MAX_MS),
    requiredMeta: z
      .array(metaKey)
      .max(REQUIRED_META_MAX)
      .refine((keys) => new Set(keys).size === keys.length, 'must not name a key twice'),
    stuckAfterMs: z.number().int().min(0).max(STUCK_AFTER_MAX_MS).default(0),
    standbyExpected: z.boolean().default(false),
    releaseOrphans: z.boolean().default(false),
    /** Absent: the default, or more for a namespace that had more when this limit was added. */
    maxLocks: z.number().int().min(1).max(MAX_LOCKS_MAX).optional(),
    /** The id of a Redis that this server has as a gate; null: none. */
    gate: storeId.nullable().optional(),
  })
  .refine((policy) => policy.leaseMinMs <= policy.leaseMaxMs, {
    message: 'must not be below leaseMinMs',
    path: ['leaseMaxMs'],
  });

export const createNamespaceInput = z.strictObject({
  name: namespaceName,
  backend: storeId.default('default'),
  /** Absent: the default policy, also when that changes later. */
  policy: namespacePolicy.optional(),
});
export type CreateNamespaceInput = z.output<typeof createNamespaceInput>;

export const setNamespacePolicyInput = z.strictObject({
  name: namespaceName,
  /** Null: the default policy, also when that changes later. */
  policy: namespacePolicy.nullable(),
  reason: operatorReason,
});
export type SetNamespacePolicyInput = z.output<typeof setNamespacePolicyInput>;
