import type { NamespacePolicy } from '../namespace-policy';

/** A namespace as the console lists it. */
export interface NamespaceRow {
  name: string;
  backend: string;
  createdAt: number;
  /** The number of its locks in the projection. */
  locks: number;
  /** The number of its counters. The policy's `maxLocks` limits locks and counters together. */
  counters: number;
  /** How many of the locks are held; null while their backend does not respond. */
  held: number | null;
  /** The number of their waiters, as last read. */
  waiting: number;
  policy: NamespacePolicy;
  /** False: it has the default policy, including its later changes. */
  hasOwnPolicy: boolean;
}

/** Namespaces that accept no new names, or soon will not. */
export interface Filling {
  /** One of these namespaces. */
  first: { name: string; used: number; maxLocks: number };
  /** Whether `first` is full. */
  isFull: boolean;
  /** How many others are full, or nearly full if `first` is not full. */
  more: number;
  /** How many are nearly full, in addition to full ones. */
  nearly: number;
}
