import type { MetricFamily } from './metrics';

/** What there is of live lock lists, and whether they come less often than they should. */
export function liveMetrics(live: { readers: number; isSlowed: boolean }): MetricFamily[] {
  return [
    {
      name: 'lockyard_live_lists',
      help: 'Live lock lists that are followed in this process.',
      type: 'gauge',
      samples: [{ labels: {}, value: live.readers }],
    },
    {
      name: 'lockyard_live_lists_slowed',
      help: '1 while they come less often than they should: together they may take a fifth of a core.',
      type: 'gauge',
      samples: [{ labels: {}, value: Number(live.isSlowed) }],
    },
  ];
}
