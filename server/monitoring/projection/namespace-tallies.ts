import type { NamespaceRow } from '../../contract/console/namespace-row';
import type { LockGroup } from '../lock-list/table/lock-groups';

type Tally = Pick<NamespaceRow, 'locks' | 'held' | 'waiting'>;

/** Counts a namespace's locks, given its backend; `held` null: that is not known completely. */
export type NamespaceTallies = (namespace: string, backend: string) => Tally;

/**
 * Counts the locks of each namespace, which are all on one backend.
 *
 * @param reachable the ids, as users know them, of backends of which all is known
 */
export function tallyNamespaces(
  groups: Iterable<LockGroup>,
  reachable: ReadonlySet<string>,
): NamespaceTallies {
  const counted = new Map<string, { locks: number; held: number; waiting: number }>();
  for (const { namespace, locks, held, waiting } of groups) {
    const tally = counted.get(namespace) ?? { locks: 0, held: 0, waiting: 0 };
    tally.locks += locks;
    tally.held += held;
    tally.waiting += waiting;
    counted.set(namespace, tally);
  }
  return (namespace, backend) => {
    const { locks, held, waiting } = counted.get(namespace) ?? { locks: 0, held: 0, waiting: 0 };
    return { locks, held: reachable.has(backend) ? held : null, waiting };
  };
}
