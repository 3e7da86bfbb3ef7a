import type { MetricFamily, Sample } from '../metrics/metrics';
import type { NamespaceLabels } from '../metrics/namespace-labels';
import type { RefusalTotal } from './refusal-counter';

/** How many attempts this process has refused. Namespaces that share a label are one. */
export function refusalMetrics(
  totals: Iterable<RefusalTotal>,
  labels: NamespaceLabels,
): MetricFamily[] {
  const samples = new Map<string, Sample>();
  for (const { namespace, backend, attempts } of totals) {
    const of = { namespace: labels.of(namespace), backend };
    const id = `${backend}/${of.namespace}`;
    const sample = samples.get(id) ?? { labels: of, value: 0 };
    sample.value += attempts;
    samples.set(id, sample);
  }
  return [
    {
      name: 'lockyard_attempts_refused_total',
      help: 'Attempts to acquire a lock that were answered `held` or `queueFull` here.',
      type: 'counter',
      samples: [...samples.values()],
    },
  ];
}
