import type { MetricFamily } from '../../../monitoring/metrics/metrics';
import type { RequestSeries } from './request-tally';

/** How many requests this process was asked, and how long its answers took. */
export function requestMetrics(all: RequestSeries[]): MetricFamily[] {
  return [
    {
      name: 'lockyard_http_requests_total',
      help: 'Requests by procedure and kind of answer; gone: the caller hung up first. Streams are left out.',
      type: 'counter',
      samples: all.flatMap(({ api, procedure, outcomes }) =>
        Object.entries(outcomes).map(([status, value]) => ({
          labels: { api, procedure, status },
          value,
        })),
      ),
    },
    {
      name: 'lockyard_http_request_duration_seconds',
      help: 'From the head of a request to the end of its answer, waits for a lock included.',
      type: 'histogram',
      samples: all.map(({ api, procedure, seconds }) => ({
        labels: { api, procedure },
        ...seconds,
      })),
    },
  ];
}
