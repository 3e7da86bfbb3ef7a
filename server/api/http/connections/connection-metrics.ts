import type { MetricFamily } from '../../../monitoring/metrics/metrics';

/** Open streams, and connections that were closed because their callers did not read. */
export function connectionMetrics(figures: {
  openStreams: number;
  unreadClosed: number;
}): MetricFamily[] {
  return [
    {
      name: 'lockyard_open_streams',
      help: 'Live streams of the console that are open.',
      type: 'gauge',
      samples: [{ labels: {}, value: figures.openStreams }],
    },
    {
      name: 'lockyard_unread_connections_closed_total',
      help: 'Connections that were closed because their callers did not read their answers.',
      type: 'counter',
      samples: [{ labels: {}, value: figures.unreadClosed }],
    },
  ];
}
