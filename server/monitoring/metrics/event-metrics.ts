import type { LogHistogram } from '../../core/statistics/log-histogram';
import { addRollup, type EventCounts, emptyCounts } from '../../core/statistics/minute-rollup';
import type { EventTally, NamespaceTally } from './event-tally';
import type { HistogramSample, MetricFamily } from './metrics';
import type { NamespaceLabels } from './namespace-labels';

/**
 * Powers of four from 1 ms to 18.6 h: bounds of `LogHistogram` too, so nothing is guessed. Of what
 * took exactly as long as a bound from 16 ms on, it does not tell how much that is.
 */
const BOUNDS_MS = Array.from({ length: 14 }, (_, i) => 4 ** i);

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
  const histogram = (
    name: string,
    help: string,
    read: (tally: NamespaceTally) => [LogHistogram, sumMs: number],
  ): MetricFamily => ({
    name,
    help: `${help} ${SUM_OVER_PROCESSES}`,
    type: 'histogram',
    samples: groups.map(({ labels: of, tally }) => ({ labels: of, ...durations(...read(tally)) })),
  });
  return [
    ...counters,
    histogram(
      'lockyard_wait_seconds',
      'How long grants were waited for; 0 without a wait.',
      ({ waits, waitedMs }) => [waits, waitedMs],
    ),
    histogram('lockyard_hold_seconds', 'How long holds lasted that ended.', ({ holds, heldMs }) => [
      holds,
      heldMs,
    ]),
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
      const group = groups.get(id) ?? {
        labels: of,
        tally: { ...emptyCounts(), waitedMs: 0, heldMs: 0 },
      };
      groups.set(id, group);
      addRollup(group.tally, counted);
      group.tally.waitedMs += counted.waitedMs;
      group.tally.heldMs += counted.heldMs;
    }
  }
  return [...groups.values()];
}

function durations(histogram: LogHistogram, sumMs: number): Omit<HistogramSample, 'labels'> {
  const bars = histogram.bars();
  const below = (boundMs: number) =>
    bars
      .filter(({ toMs }) => toMs !== null && toMs - 1 <= boundMs)
      .reduce((sum, { count }) => sum + count, 0);
  const buckets = BOUNDS_MS.map((ms): [number, number] => [ms / 1_000, below(ms)]);
  return { buckets, count: histogram.count, sum: sumMs / 1_000 };
}
