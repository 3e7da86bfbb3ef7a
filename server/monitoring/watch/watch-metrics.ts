import type { MetricFamily } from '../metrics/metrics';
import type { LockWatches } from './lock-watches';

/** The watches of services at this process. */
export function watchMetrics({ count, answered, isSlowed }: LockWatches): MetricFamily[] {
  return [
    {
      name: 'lockyard_open_watches',
      help: 'Watches of services that are open: requests held for a change, and event streams.',
      type: 'gauge',
      samples: [{ labels: {}, value: count }],
    },
    {
      name: 'lockyard_watches_slowed',
      help: '1 while watches are answered later because they have used up a fifth of a core.',
      type: 'gauge',
      samples: [{ labels: {}, value: Number(isSlowed) }],
    },
    {
      name: 'lockyard_watch_states_total',
      help: 'Lock states that were sent to watches.',
      type: 'counter',
      samples: [{ labels: {}, value: answered.states }],
    },
    {
      name: 'lockyard_watch_resets_total',
      help: 'Watches that began again with the present states: their position was not kept.',
      type: 'counter',
      samples: [{ labels: {}, value: answered.resets }],
    },
  ];
}
