import type { ApiKeyForm } from '../../auth/api-keys/api-key-text';
import { LockyardError } from '../../contract/errors';
import type { KeyLimits } from '../../contract/key-limits';

/**
 * Limits as a row stores them. Null: the key has the plain form, which cannot have any. A key that
 * only expires has the limited form, and `{}`.
 */
export function storedLimits(
  { prefix, verbs }: Record<keyof KeyLimits, unknown>,
  expiresAt: number | null,
): string | null {
  if (prefix === undefined && verbs === undefined && expiresAt === null) return null;
  return JSON.stringify({ prefix, verbs });
}

/** The form of a key with such limits. */
export const formOf = (limits: string | null): ApiKeyForm =>
  limits === null ? 'plain' : 'limited';

/**
 * @throws LockyardError `CONFLICT` where a key without limits would get a prefix or verbs: a server
 *   of an earlier version would ignore them, as the key's form does not make it refuse the key
 */
export function requireFormFor(
  form: ApiKeyForm,
  { prefix, verbs }: { prefix?: unknown; verbs?: unknown },
): void {
  if (form === 'limited' || (prefix ?? verbs ?? null) === null) return;
  const text =
    'This API key was made without limits, so its text cannot carry any: create a new key with ' +
    'them, and revoke this one.';
  throw new LockyardError('CONFLICT', text);
}

interface Expiry {
  expiresAt?: number | null | undefined;
  expiresInMs?: number | undefined;
}

/** The instant from which a key is refused; null: it does not expire; undefined: not specified. */
export const expiryIn = ({ expiresAt, expiresInMs }: Expiry, now: number) =>
  expiresInMs === undefined ? expiresAt : now + expiresInMs;

/** @throws LockyardError `INVALID` for an expiry in the past */
export function requireFuture(expiresAt: number | null | undefined, now: number): void {
  if (typeof expiresAt !== 'number' || expiresAt > now) return;
  throw new LockyardError('INVALID', 'expiresAt: must be in the future.');
}

/** As `expiryIn`. Throws as `requireFuture`. */
export function expiryOf(input: Expiry, now: number): number | null | undefined {
  const expiresAt = expiryIn(input, now);
  requireFuture(expiresAt, now);
  return expiresAt;
}
