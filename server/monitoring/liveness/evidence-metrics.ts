import type { MetricFamily } from '../metrics/metrics';
import type { HolderEvidence } from './holder-evidence';

/** What witnesses report at this process. */
export function evidenceMetrics({ counted }: Pick<HolderEvidence, 'counted'>): MetricFamily[] {
  return [
    {
      name: 'lockyard_witness_reports_total',
      help:
        'Reports of witnesses on processes that hold locks. `kind` `host`: of lockyard witness; ' +
        '`url`: of a configured URL.',
      type: 'counter',
      samples: (['host', 'url'] as const).flatMap((kind) =>
        Object.entries(counted[kind]).map(([state, value]) => ({
          labels: { kind, state },
          value,
        })),
      ),
    },
  ];
}
