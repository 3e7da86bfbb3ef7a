import { randomBytes } from 'node:crypto';

/** Where the client's randomness comes from. */
export interface Chance {
  /** At least 0, below 1: spreads retries. */
  fraction(): number;
  /** A globally unique id: for request ids and default owners. */
  id(): string;
}

export const systemChance: Chance = {
  fraction: Math.random,
  id: () => randomBytes(16).toString('base64url'),
};
