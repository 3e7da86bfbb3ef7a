import type { BackendHealth } from '../../contract/console/backend-health';
import { LOCK_STATUSES, type LockStatus } from '../../contract/console/console-terms';
import { totalBlockingMs } from '../../core/status/blocking-time';
import type { NameCount } from '../../engine/names/name-count';
import type { HoldFigures } from '../lock-list/table/current-status';
import type { LockGroup } from '../lock-list/table/lock-groups';
import type { NamespaceLookup } from '../projection/monitored-backend';
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
  const all = [...groups.values()];
  const sample = (value: (group: Group) => number): Sample[] =>
    all.map((group) => ({ labels: group.labels, value: value(group) }));
  return [
    {
      name: 'lockyard_locks',
      help:
        'Locks by current status. Every process reports all locks: take max, not sum, over ' +
        'processes.',
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
      name: 'lockyard_permits_held',
      help: 'Permits held, of all locks with permits. Take max over processes.',
      type: 'gauge',
      samples: sample(({ permitsHeld }) => permitsHeld),
    },
    {
      name: 'lockyard_permits_capacity',
      help:
        'How many permits may be held, of all locks whose permits are held or waited for. Take ' +
        'max over processes.',
      type: 'gauge',
      samples: sample(({ permitCapacity }) => permitCapacity),
    },
    {
      name: 'lockyard_kept_holds',
      help:
        'Holds that were released before the end of their `holdAtLeastMs`, and keep the lock ' +
        'taken until then. Take max over processes.',
      type: 'gauge',
      samples: sample(({ keptHolds }) => keptHolds),
    },
    {
      name: 'lockyard_waiters',
      help: 'Callers waiting for a lock. Take max over processes.',
      type: 'gauge',
      samples: sample(({ waiters }) => waiters),
    },
    {
      name: 'lockyard_blocking_seconds',
      help:
        'Total blocking time: the ages of all waits, and of the attempts of owners refused ' +
        'within the last minute, added up. Take max over processes.',
      type: 'gauge',
      samples: sample(({ blockingMs }) => blockingMs / 1_000),
    },
  ];
}

interface Group extends HoldFigures {
  labels: { namespace: string; backend: string };
  statuses: Map<LockStatus, number>;
  held: number;
  waiters: number;
  blockingMs: number;
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

/** The state of the backends as this process observes it, and whether it runs maintenance. */
export function backendMetrics(healths: BackendHealth[], runsMaintenance: boolean): MetricFamily[] {
  const gauge = (
    name: string,
    help: string,
    read: (health: BackendHealth) => number | null,
  ): MetricFamily => ({
    name,
    help,
    type: 'gauge',
    samples: healths.flatMap((health) =>
      (health.shards ?? [health]).flatMap((part): Sample[] => {
        const value = read(part);
        const shard = 'name' in part ? { shard: part.name } : {};
        return value === null ? [] : [{ labels: { backend: health.id, ...shard }, value }];
      }),
    ),
  });
  return [
    gauge('lockyard_backend_up', '1 while the backend answers this process.', ({ reachable }) =>
      Number(reachable),
    ),
    gauge(
      'lockyard_backend_latency_seconds',
      'The last round trip to the backend.',
      ({ latencyMs }) => latencyMs && latencyMs / 1_000,
    ),
    gauge(
      'lockyard_backend_silent_seconds',
      'Time since the last good answer of the backend.',
      ({ silentForMs }) => silentForMs / 1_000,
    ),
    gauge(
      'lockyard_backend_clock_offset_seconds',
      'The clock of the backend minus that of this process.',
      ({ clockOffsetMs }) => clockOffsetMs / 1_000,
    ),
    {
      name: 'lockyard_chores',
      help: '1 in the process that runs maintenance: one of all processes on a database.',
      type: 'gauge',
      samples: [{ labels: {}, value: Number(runsMaintenance) }],
    },
  ];
}

/** How many live lock lists there are, and whether they are updated less often than intended. */
export function liveMetrics(live: { readers: number; isSlowed: boolean }): MetricFamily[] {
  return [
    {
      name: 'lockyard_live_lists',
      help: 'Live lock lists that are followed in this process.',
      type: 'gauge',
      samples: [{ labels: {}, value: live.readers }],
    },
    {
      name: 'lockyard_live_lists_slowed',
      help:
        '1 while these lists are updated less often than intended: together they may use a fifth ' +
        'of a core.',
      type: 'gauge',
      samples: [{ labels: {}, value: Number(live.isSlowed) }],
    },
  ];
}

/** How many names each namespace has and may have, and whether memory refuses new ones. */
export function nameMetrics(
  names: NameCount,
  namespaces: Pick<NamespaceLookup, 'policyOf'>,
  labels: NamespaceLabels,
  isShortOfMemory: boolean,
): MetricFamily[] {
  const counts = new Map<string, { locks: number; counters: number; most: number }>();
  const standbys = new Set<string>();
  for (const namespace of names.namespaces()) {
    const label = labels.of(namespace);
    const { locks, counters } = names.of(namespace);
    if (namespaces.policyOf(namespace).standbyExpected) standbys.add(label);
    const sum = counts.get(label) ?? { locks: 0, counters: 0, most: 0 };
    counts.set(label, {
      locks: sum.locks + locks,
      counters: sum.counters + counters,
      most: sum.most + namespaces.policyOf(namespace).maxLocks,
    });
  }
  const all = [...counts];
  return [
    {
      name: 'lockyard_namespace_names',
      help:
        'Locks and counters that have a record. Every process reports all: take max over ' +
        'processes.',
      type: 'gauge',
      samples: all.flatMap(([namespace, { locks, counters }]): Sample[] => [
        { labels: { namespace, kind: 'lock' }, value: locks },
        { labels: { namespace, kind: 'counter' }, value: counters },
      ]),
    },
    {
      name: 'lockyard_namespace_max_names',
      help: 'How many locks and counters together the policy allows. Take max over processes.',
      type: 'gauge',
      samples: all.map(([namespace, { most }]) => ({ labels: { namespace }, value: most })),
    },
    {
      name: 'lockyard_namespace_standby_expected',
      help: '1 where the policy expects standbys that always wait. Take max over processes.',
      type: 'gauge',
      samples: all.map(([namespace]) => ({
        labels: { namespace },
        value: standbys.has(namespace) ? 1 : 0,
      })),
    },
    {
      name: 'lockyard_memory_short',
      help: '1 while this process creates no locks and counters, because 80 % of its heap is used.',
      type: 'gauge',
      samples: [{ labels: {}, value: Number(isShortOfMemory) }],
    },
  ];
}
