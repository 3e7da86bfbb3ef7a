import type { NameCount } from '../../engine/names/name-count';
import type { NamespaceLookup } from '../projection/monitored-backend';
import type { MetricFamily, Sample } from './metrics';
import type { NamespaceLabels } from './namespace-labels';

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
