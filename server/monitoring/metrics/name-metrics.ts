import type { NameCount } from '../../engine/names/name-count';
import type { NamespaceLookup } from '../projection/monitored-backend';
import type { MetricFamily, Sample } from './metrics';
import type { NamespaceLabels } from './namespace-labels';

/**
 * How many locks and counters each namespace has and may have, and whether new names are refused
 * for lack of memory.
 */
export function nameMetrics(
  names: NameCount,
  namespaces: Pick<NamespaceLookup, 'policyOf'>,
  labels: NamespaceLabels,
  isShortOfMemory: boolean,
): MetricFamily[] {
  const counts = new Map<string, { locks: number; counters: number; most: number }>();
  for (const namespace of names.namespaces()) {
    const label = labels.of(namespace);
    const { locks, counters } = names.of(namespace);
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
      help: 'Locks and counters that have a record. Every process tells of all: take max over processes.',
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
      name: 'lockyard_memory_short',
      help: '1 while this process makes no new locks and counters, 80 % of its heap being used.',
      type: 'gauge',
      samples: [{ labels: {}, value: Number(isShortOfMemory) }],
    },
  ];
}
