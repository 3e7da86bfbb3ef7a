import type { KeyLimits } from '../../contract/key-limits';

/** The namespaces that the row of a key stores. */
export const namespacesOf = (stored: string): string[] => JSON.parse(stored);

/** The limits that the row of a key stores; none for a key of the plain form. */
export const limitsOf = (stored: string | null): KeyLimits =>
  stored === null ? {} : JSON.parse(stored);
