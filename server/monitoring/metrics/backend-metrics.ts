import type { BackendHealth } from '../../contract/console/backend-health';
import type { MetricFamily, Sample } from './metrics';

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
    gauge(
      'lockyard_backend_up',
      '1 while the backend serves this process; 0 also while it rejects requests.',
      ({ reachable }) => Number(reachable),
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
