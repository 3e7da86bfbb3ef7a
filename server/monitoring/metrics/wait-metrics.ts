import type { DeadlockHistory } from '../waits/deadlock-history';
import type { WaitWatch } from '../waits/wait-watch';
import type { MetricFamily } from './metrics';

/** Deadlocks, and the sum of all waiting times. */
export function waitMetrics(
  watch: Pick<WaitWatch, 'rows' | 'blockingMs'>,
  { written }: Pick<DeadlockHistory, 'written'>,
): MetricFamily[] {
  return [
    {
      name: 'lockyard_deadlocks',
      help: 'Deadlocks at this moment. Every process finds the same ones: take the maximum.',
      type: 'gauge',
      samples: [{ labels: {}, value: watch.rows().length }],
    },
    {
      name: 'lockyard_deadlocks_total',
      help: 'Deadlocks found. Counted by the process that runs maintenance: sum over processes.',
      type: 'counter',
      samples: [{ labels: {}, value: written }],
    },
    {
      name: 'lockyard_waiting_seconds',
      help: 'The ages of all waits added up. Every process sees the same ones: take the maximum.',
      type: 'gauge',
      samples: [{ labels: {}, value: watch.blockingMs / 1_000 }],
    },
  ];
}
