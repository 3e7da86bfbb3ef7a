import type { MetricFamily, Sample } from '../metrics/metrics';
import type { LockPlace, NamespaceLabels } from '../metrics/namespace-labels';
import type { RefusalTotal } from './refusal-counter';

/**
 * How many attempts and tokens this process has refused. Namespaces that share a label are reported
 * as one.
 *
 * @param places see `eventMetrics`
 */
export function refusalMetrics(
  totals: Iterable<RefusalTotal>,
  labels: NamespaceLabels,
  places: Iterable<LockPlace>,
): MetricFamily[] {
  const attempts = new Map<string, Sample>();
  const tokens = new Map<string, Sample>();
  const add = (samples: Map<string, Sample>, place: LockPlace, count: number) => {
    const { id, labels: of } = labels.placeOf(place);
    const sample = samples.get(id) ?? { labels: of, value: 0 };
    sample.value += count;
    samples.set(id, sample);
  };
  for (const total of totals) {
    add(attempts, total, total.attempts);
    add(tokens, total, total.tokens);
  }
  for (const place of places) {
    add(attempts, place, 0);
    add(tokens, place, 0);
  }
  return [
    {
      name: 'lockyard_attempts_refused_total',
      help: 'Attempts to acquire a lock that were answered `held` or `queueFull` here.',
      type: 'counter',
      samples: [...attempts.values()],
    },
    {
      name: 'lockyard_tokens_refused_total',
      help: 'Checks of a fencing token that were answered `valid: false` here.',
      type: 'counter',
      samples: [...tokens.values()],
    },
  ];
}
