import { addRollup, type EventCounts } from '../../core/statistics/minute-rollup';
import { type EventTally, emptyTally, type NamespaceTally } from './event-tally';
import type { MetricFamily } from './metrics';
import type { LockPlace, NamespaceLabels } from './namespace-labels';

const SUM_OVER_PROCESSES =
  'Each event is counted by the one process that runs maintenance: sum over processes.';

const COUNTERS: [keyof EventCounts, name: string, help: string][] = [
  ['grants', 'lockyard_grants_total', 'Locks granted.'],
  ['timeouts', 'lockyard_wait_timeouts_total', 'Waits that timed out.'],
  ['expiries', 'lockyard_lease_expiries_total', 'Holds that ended with their lease, unreleased.'],
  ['forced', 'lockyard_forced_releases_total', 'Holds that an operator ended.'],
];

/** Counts, and the backend that each belongs to; a backend with shards has several counts. */
type BackendTallies = Iterable<{ publicId: string; tally: EventTally }>;

/**
 * Counts of what happened to locks, since this process started.
 *
 * @param places where there are locks: counters and histograms begin at 0 there, because Prometheus
 *   does not see the rise of a counter that begins at 1
 */
export function eventMetrics(
  tallies: BackendTallies,
  labels: NamespaceLabels,
  places: Iterable<LockPlace>,
): MetricFamily[] {
  const all = grouped(tallies, labels);
  for (const place of places) {
    const of = labels.placeOf(place);
    if (!all.has(of.id)) all.set(of.id, { labels: of.labels, tally: emptyTally() });
  }
  const groups = [...all.values()];
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
    histogram('lockyard_hold_seconds', 'How long ended holds lasted.', 'holds'),
  ];
}

interface Group {
  labels: LockPlace;
  tally: NamespaceTally;
}

/** Namespaces that share a label are reported as one. */
function grouped(tallies: BackendTallies, labels: NamespaceLabels): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const { publicId: backend, tally } of tallies) {
    for (const [namespace, counted] of tally.entries()) {
      const { id, labels: of } = labels.placeOf({ namespace, backend });
      const group = groups.get(id) ?? { labels: of, tally: emptyTally() };
      groups.set(id, group);
      addRollup(group.tally, counted);
    }
  }
  return groups;
}
