import type { NamespacePolicy } from '../namespace-policy';

/** A namespace as the console lists it. */
export interface NamespaceRow {
  name: string;
  backend: string;
  createdAt: number;
  /** How many locks of it the projection has. */
  locks: number;
  /** How many counters. Locks and counters together are limited by the policy's `maxLocks`. */
  counters: number;
  /** How many of the locks are held; null while their backend does not respond. */
  held: number | null;
  /** How many waiters they have, as last read. */
  waiting: number;
  policy: NamespacePolicy;
  /** False: it has the default policy, also when that changes later. */
  hasOwnPolicy: boolean;
}

/** Namespaces that accept no new names, or soon will not. */
export interface Filling {
  /** One of them, by name. */
  first: { name: string; used: number; maxLocks: number };
  /** Whether it is full. */
  isFull: boolean;
  /** How many more are as full as `first`. */
  more: number;
  /** How many will soon be full, in addition to the full ones. */
  nearly: number;
}
