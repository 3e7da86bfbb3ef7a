import type { KeyLimits } from '../../contract/key-limits';

/** The namespaces that the row of a key stores. */
export const namespacesOf = (stored: string): string[] => JSON.parse(stored);

/** The limits that the row of a key stores; none for a key of the plain form. */
export const limitsOf = (stored: string | null): KeyLimits =>
  stored === null ? {} : JSON.parse(stored);

/**
 * Whether a key has expired, and was not revoked before that.
 *
 * @param now epoch ms
 */
export const hasExpired = <K extends { expiresAt: number | null; revokedAt: number | null }>(
  key: K,
  now: number,
): key is K & { expiresAt: number } =>
  key.expiresAt !== null && key.expiresAt <= (key.revokedAt ?? now);
