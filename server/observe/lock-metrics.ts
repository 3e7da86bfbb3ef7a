import { LOCK_STATUSES } from '../domain/lock-status';
import type { LockStanding } from './lock-standings';
import type { MetricFamily, Sample } from './metrics';
import type { NamespaceLabels } from './namespace-labels';

/** How many locks there are in each status, how many are held, and how many callers wait. */
export function lockMetrics(
  standings: Iterable<LockStanding>,
  labels: NamespaceLabels,
): MetricFamily[] {
  const groups = new Map<string, Group>();
  for (const { namespace, backend, status, waiters, isHeld } of standings) {
    const group = groupOf(groups, { namespace: labels.of(namespace), backend });
    group.statuses.set(status, (group.statuses.get(status) ?? 0) + 1);
    group.waiters += waiters;
    if (isHeld) group.held += 1;
  }
  const all = [...groups.values()];
  const sample = (value: (group: Group) => number): Sample[] =>
    all.map((group) => ({ labels: group.labels, value: value(group) }));
  return [
    {
      name: 'lockyard_locks',
      help: 'Locks by what they look like now. Every process tells of all locks: take max, not sum, over processes.',
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
      help: 'Locks that somebody holds, whatever their status. Take max over processes.',
      type: 'gauge',
      samples: sample(({ held }) => held),
    },
    {
      name: 'lockyard_waiters',
      help: 'Callers that wait for a lock. Take max over processes.',
      type: 'gauge',
      samples: sample(({ waiters }) => waiters),
    },
  ];
}

interface Group {
  labels: { namespace: string; backend: string };
  statuses: Map<string, number>;
  held: number;
  waiters: number;
}

function groupOf(groups: Map<string, Group>, labels: Group['labels']): Group {
  const id = `${labels.backend}/${labels.namespace}`;
  const known = groups.get(id);
  if (known) return known;
  const group = { labels, statuses: new Map<string, number>(), held: 0, waiters: 0 };
  groups.set(id, group);
  return group;
}
