import type { MetricFamily, Sample } from '../metrics/metrics';
import type { LockPlace, NamespaceLabels } from '../metrics/namespace-labels';
import type { RefusalTotal } from './refusal-counter';

/**
 * How many attempts this process has refused. Namespaces that share a label are reported as one.
 *
 * @param places see `eventMetrics`
 */
export function refusalMetrics(
  totals: Iterable<RefusalTotal>,
  labels: NamespaceLabels,
  places: Iterable<LockPlace>,
): MetricFamily[] {
  const samples = new Map<string, Sample>();
  const add = (place: LockPlace, attempts: number) => {
    const { id, labels: of } = labels.placeOf(place);
    const sample = samples.get(id) ?? { labels: of, value: 0 };
    sample.value += attempts;
    samples.set(id, sample);
  };
  for (const total of totals) add(total, total.attempts);
  for (const place of places) add(place, 0);
  return [
    {
      name: 'lockyard_attempts_refused_total',
      help: 'Attempts to acquire a lock that were answered `held` or `queueFull` here.',
      type: 'counter',
      samples: [...samples.values()],
    },
  ];
}
