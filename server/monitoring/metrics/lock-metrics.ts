import { LOCK_STATUSES, type LockStatus } from '../../contract/console/console-terms';
import type { LockGroup } from '../lists/table/lock-groups';
import type { MetricFamily, Sample } from './metrics';
import type { NamespaceLabels } from './namespace-labels';

/** How many locks there are in each status, how many are held, and how many callers wait. */
export function lockMetrics(
  counted: Iterable<Omit<LockGroup, 'storeId' | 'locks'>>,
  labels: NamespaceLabels,
): MetricFamily[] {
  const groups = new Map<string, Group>();
  for (const { namespace, backend, counts, held, waiting } of counted) {
    const group = groupOf(groups, { namespace: labels.of(namespace), backend });
    for (const status of LOCK_STATUSES) {
      group.statuses.set(status, (group.statuses.get(status) ?? 0) + counts[status]);
    }
    group.waiters += waiting;
    group.held += held;
  }
  const all = [...groups.values()];
  const sample = (value: (group: Group) => number): Sample[] =>
    all.map((group) => ({ labels: group.labels, value: value(group) }));
  return [
    {
      name: 'lockyard_locks',
      help: 'Locks by current status. Every process reports all locks: take max, not sum, over processes.',
      type: 'gauge',
      samples: LOCK_STATUSES.flatMap((status) =>
        sample(({ statuses }) => statuses.get(status) ?? 0).map(({ labels: of, value }) => ({
          labels: { ...of, status },
          value,
        })),
      ),
    },
    {
      name: 'lockyard_locks_held',
      help: 'Held locks, whatever their status. Take max over processes.',
      type: 'gauge',
      samples: sample(({ held }) => held),
    },
    {
      name: 'lockyard_waiters',
      help: 'Callers waiting for a lock. Take max over processes.',
      type: 'gauge',
      samples: sample(({ waiters }) => waiters),
    },
  ];
}

interface Group {
  labels: { namespace: string; backend: string };
  statuses: Map<LockStatus, number>;
  held: number;
  waiters: number;
}

function groupOf(groups: Map<string, Group>, labels: Group['labels']): Group {
  const id = `${labels.backend}/${labels.namespace}`;
  const known = groups.get(id);
  if (known) return known;
  const group = { labels, statuses: new Map<LockStatus, number>(), held: 0, waiters: 0 };
  groups.set(id, group);
  return group;
}
