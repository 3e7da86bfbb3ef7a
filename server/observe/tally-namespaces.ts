import type { NamespaceRow } from '../domain/namespace-row';
import type { BoardRow } from './board-row';

type Tally = Pick<NamespaceRow, 'locks' | 'held' | 'waiting'>;

/** How the locks of a namespace, and of the backend that it lives on, are used. */
export type NamespaceTallies = (namespace: string, backend: string) => Tally;

/**
 * Counts the locks of each namespace, which all live on one backend.
 *
 * @param nows the clocks of the backends that answer, each shard by itself; of others nobody knows what is held
 * @param answering the backends, as people know them, of which all is known
 */
export function tallyNamespaces(
  rows: Iterable<BoardRow>,
  nows: ReadonlyMap<string, number>,
  answering: ReadonlySet<string>,
): NamespaceTallies {
  const counted = new Map<string, { locks: number; held: number; waiting: number }>();
  for (const { key, backend, record } of rows) {
    const tally = counted.get(key.namespace) ?? { locks: 0, held: 0, waiting: 0 };
    const now = nows.get(backend) ?? Number.POSITIVE_INFINITY;
    tally.locks += 1;
    tally.waiting += record.queue.length;
    if (record.holds.some(({ expiresAt }) => expiresAt > now)) tally.held += 1;
    counted.set(key.namespace, tally);
  }
  return (namespace, backend) => {
    const { locks, held, waiting } = counted.get(namespace) ?? { locks: 0, held: 0, waiting: 0 };
    return { locks, held: answering.has(backend) ? held : null, waiting };
  };
}
