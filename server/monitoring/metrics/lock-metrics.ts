import { LOCK_STATUSES, type LockStatus } from '../../contract/console/console-terms';
import { totalBlockingMs } from '../../core/status/blocking-time';
import type { HoldFigures } from '../lock-list/table/current-status';
import type { LockGroup } from '../lock-list/table/lock-groups';
import type { MetricFamily, Sample } from './metrics';
import type { NamespaceLabels } from './namespace-labels';

/**
 * How many locks there are in each status, how many are held, how many permits and kept holds there
 * are, how many callers wait, and for how long callers have been kept from locks.
 *
 * @param now in milliseconds since the `blockedOrigin` of the locks
 */
export function lockMetrics(
  counted: Iterable<Omit<LockGroup, 'locks'>>,
  labels: NamespaceLabels,
  now: number,
): MetricFamily[] {
  const groups = sumByLabels(counted, labels, now);
  const samples = (value: (group: Group) => number): Sample[] =>
    groups.map((group) => ({ labels: group.labels, value: value(group) }));
  const gauge = (name: string, help: string, value: (group: Group) => number): MetricFamily => ({
    name,
    help: `${help} Take max over processes.`,
    type: 'gauge',
    samples: samples(value),
  });
  return [
    {
      name: 'lockyard_locks',
      help:
        'Locks by current status. Every process reports all locks: take max, not sum, over ' +
        'processes.',
      type: 'gauge',
      samples: LOCK_STATUSES.flatMap((status) =>
        samples(({ statuses }) => statuses.get(status) ?? 0).map(({ labels: of, value }) => ({
          labels: { ...of, status },
          value,
        })),
      ),
    },
    gauge('lockyard_locks_held', 'Held locks, whatever their status.', ({ held }) => held),
    gauge(
      'lockyard_permits_held',
      'Permits held, of all locks with permits.',
      ({ permitsHeld }) => permitsHeld,
    ),
    gauge(
      'lockyard_permits_capacity',
      'How many permits may be held, of all locks whose permits are held or waited for.',
      ({ permitCapacity }) => permitCapacity,
    ),
    gauge(
      'lockyard_kept_holds',
      'Holds that were released before the end of their `holdAtLeastMs`, and keep the lock taken ' +
        'until then.',
      ({ keptHolds }) => keptHolds,
    ),
    gauge('lockyard_waiters', 'Callers waiting for a lock.', ({ waiters }) => waiters),
    gauge(
      'lockyard_blocking_seconds',
      'Total blocking time: the ages of all waits, and of the attempts of owners refused within ' +
        'the last minute, added up.',
      ({ blockingMs }) => blockingMs / 1_000,
    ),
  ];
}

interface Group extends HoldFigures {
  labels: { namespace: string; backend: string };
  statuses: Map<LockStatus, number>;
  held: number;
  waiters: number;
  blockingMs: number;
}

function sumByLabels(
  counted: Iterable<Omit<LockGroup, 'locks'>>,
  labels: NamespaceLabels,
  now: number,
): Group[] {
  const groups = new Map<string, Group>();
  for (const { namespace, backend, counts, held, waiting, blocked, ...figures } of counted) {
    const { permitsHeld, permitCapacity, keptHolds } = figures;
    const group = groupOf(groups, { namespace: labels.of(namespace), backend });
    for (const status of LOCK_STATUSES) {
      group.statuses.set(status, (group.statuses.get(status) ?? 0) + counts[status]);
    }
    group.waiters += waiting;
    group.blockingMs += totalBlockingMs(blocked, now);
    group.held += held;
    group.permitsHeld += permitsHeld;
    group.permitCapacity += permitCapacity;
    group.keptHolds += keptHolds;
  }
  return [...groups.values()];
}

function groupOf(groups: Map<string, Group>, labels: Group['labels']): Group {
  const id = `${labels.backend}/${labels.namespace}`;
  const known = groups.get(id);
  if (known) return known;
  const statuses = new Map<LockStatus, number>();
  const figures = { permitsHeld: 0, permitCapacity: 0, keptHolds: 0 };
  const group = { labels, statuses, held: 0, waiters: 0, blockingMs: 0, ...figures };
  groups.set(id, group);
  return group;
}
