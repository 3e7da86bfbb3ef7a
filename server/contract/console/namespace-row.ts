import type { NamespacePolicy } from '../namespace-policy';

/** A namespace as the console lists it. */
export interface NamespaceRow {
  name: string;
  backend: string;
  createdAt: number;
  /** How many locks the board knows in it. */
  locks: number;
  /** How many counters; together with the locks they may be as many as the policy's `maxLocks`. */
  counters: number;
  /** How many of the locks somebody holds; null while their backend does not answer. */
  held: number | null;
  /** How many wait for them, as last read. */
  waiting: number;
  policy: NamespacePolicy;
  /** False: it has the default policy, whatever it will be. */
  hasOwnPolicy: boolean;
}
