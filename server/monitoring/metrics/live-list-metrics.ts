import type { MetricFamily } from './metrics';

/** How many live lock lists there are, and whether they are updated less often than intended. */
export function liveListMetrics(live: { readers: number; isSlowed: boolean }): MetricFamily[] {
  return [
    {
      name: 'lockyard_live_lists',
      help: 'Live lock lists that are followed in this process.',
      type: 'gauge',
      samples: [{ labels: {}, value: live.readers }],
    },
    {
      name: 'lockyard_live_lists_slowed',
      help:
        '1 while these lists are updated less often than intended: together they may use a fifth ' +
        'of a core.',
      type: 'gauge',
      samples: [{ labels: {}, value: Number(live.isSlowed) }],
    },
  ];
}
