import { createHash } from 'node:crypto';
import type { WatchInput } from '../../contract/lock/watch';
import { compareBytes } from '../lock-list/order/compare-bytes';

/** The locks that one watch is about, and its service. */
export interface WatchTarget {
  /** The backend of the namespace, as users know it. */
  backend: string;
  namespace: string;
  /** In byte order, each once; null: all with the prefix. */
  names: readonly string[] | null;
  prefix: string;
  /** The service that watches. */
  viewer: string;
  /** Distinguishes positions of different targets. */
  key: string;
}

export function watchTarget(
  backend: string,
  viewer: string,
  { namespace, names, prefix = '' }: Pick<WatchInput, 'namespace' | 'names' | 'prefix'>,
): WatchTarget {
  const sorted = names ? [...new Set(names)].sort(compareBytes) : null;
  const text = JSON.stringify([namespace, sorted ?? prefix]);
  const key = createHash('sha256').update(text).digest('base64url').slice(0, 12);
  return { backend, namespace, names: sorted, prefix, viewer, key };
}
