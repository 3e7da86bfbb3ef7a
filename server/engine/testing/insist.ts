import { vi } from 'vitest';

const PATIENCE_MS = 20_000;

/**
 * Makes a call again until it is answered: a store that a test has kept busy may be silent for a
 * moment. Only for calls that may be made twice.
 */
export const insist = <T>(call: () => Promise<T>): Promise<T> => vi.waitFor(call, PATIENCE_MS);
