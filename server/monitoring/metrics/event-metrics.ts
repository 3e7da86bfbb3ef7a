import { addRollup, type EventCounts } from '../../core/statistics/minute-rollup';
import { type EventTally, emptyTally, type NamespaceTally } from './event-tally';
import type { MetricFamily } from './metrics';
import type { NamespaceLabels } from './namespace-labels';

const SUM_OVER_PROCESSES =
  'Each event is counted by the one process that runs maintenance: sum over processes.';

const COUNTERS: [keyof EventCounts, name: string, help: string][] = [
  ['grants', 'lockyard_grants_total', 'Locks granted.'],
  ['timeouts', 'lockyard_wait_timeouts_total', 'Waits whose patience ended without the lock.'],
  ['expiries', 'lockyard_lease_expiries_total', 'Holds that ended with their lease, unreleased.'],
  ['forced', 'lockyard_forced_releases_total', 'Holds that an operator ended.'],
];

/** Counts, and the backend that each belongs to; that of a backend with shards has several. */
type BackendTallies = Iterable<[backend: string, tally: EventTally]>;

/** What happened to locks, as this process has counted it since its start. */
export function eventMetrics(tallies: BackendTallies, labels: NamespaceLabels): MetricFamily[] {
  const groups = grouped(tallies, labels);
  const counters = COUNTERS.map(([count, name, help]): MetricFamily => {
    const samples = groups.map(({ labels: of, tally }) => ({ labels: of, value: tally[count] }));
    return { name, help: `${help} ${SUM_OVER_PROCESSES}`, type: 'counter', samples };
  });
  const histogram = (name: string, help: string, of: 'waits' | 'holds'): MetricFamily => ({
    name,
    help: `${help} ${SUM_OVER_PROCESSES}`,
    type: 'histogram',
    samples: groups.map(({ labels: labelled, tally }) => ({
      labels: labelled,
      ...tally[of].sample(),
    })),
  });
  return [
    ...counters,
    histogram(
      'lockyard_wait_seconds',
      'How long grants were waited for; 0 without a wait.',
      'waits',
    ),
    histogram('lockyard_hold_seconds', 'How long holds lasted that ended.', 'holds'),
  ];
}

interface Group {
  labels: { namespace: string; backend: string };
  tally: NamespaceTally;
}

/** Namespaces that share a label are reported as one. */
function grouped(tallies: BackendTallies, labels: NamespaceLabels): Group[] {
  const groups = new Map<string, Group>();
  for (const [backend, tally] of tallies) {
    for (const [namespace, counted] of tally.entries()) {
      const of = { namespace: labels.of(namespace), backend };
      const id = `${backend}/${of.namespace}`;
      const group = groups.get(id) ?? { labels: of, tally: emptyTally() };
      groups.set(id, group);
      addRollup(group.tally, counted);
    }
  }
  return [...groups.values()];
}
