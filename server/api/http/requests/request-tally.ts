import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MetricFamily } from '../../../monitoring/metrics/metrics';
import type { Clock } from '../../../platform/clock';
import type { ProcedureKinds } from '../../rpc/procedure-kinds';
import { isStream } from '../connections/unread-connections';

/** Upper bounds in seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The kind of answer; `gone`: the caller hung up before its end. */
type Outcome = '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | 'gone';

/** Requests to one procedure, or to anything else. */
export interface RequestSeries {
  api: string;
  procedure: string;
  /** How many requests ended with each outcome. */
  outcomes: Partial<Record<Outcome, number>>;
  /** How long complete answers took, from the head of the request. */
  seconds: { buckets: [bound: number, count: number][]; count: number; sum: number };
}

/** Counts requests by procedure, except live streams, which last as long as their reader. */
export class RequestTally {
  private readonly byPath = new Map<string, RequestSeries | null>();
  private readonly others = new Map<string, RequestSeries>();
  private readonly prefixes: string[];

  /** @param apis by the beginning of their paths */
  constructor(
    private readonly clock: Clock,
    apis: Record<string, { api: string; kinds: ProcedureKinds }>,
  ) {
    this.prefixes = Object.keys(apis);
    for (const [prefix, { api, kinds }] of Object.entries(apis)) {
      this.others.set(prefix, newSeries(api, 'other'));
      this.others.set(`${prefix},`, newSeries(api, 'batch'));
      for (const [procedure, kind] of kinds) {
        const isStream = kind === 'subscription';
        this.byPath.set(prefix + procedure, isStream ? null : newSeries(api, procedure));
      }
    }
    this.others.set('', newSeries('page', 'page'));
    for (const path of ['/api/health/live', '/api/health/ready', '/metrics']) {
      this.byPath.set(path, newSeries('operations', path.slice(path.lastIndexOf('/') + 1)));
    }
  }

  /** Counts a request when its answer has ended. */
  follow(req: IncomingMessage, res: ServerResponse): void {
    const series = this.seriesOf(req.url ?? '');
    if (!series) return;
    const startedAt = this.clock.monotonic();
    res.on('close', () => {
      if (!isStream(res)) count(series, res, (this.clock.monotonic() - startedAt) / 1_000);
    });
  }

  /** The series of what was requested so far. */
  *series(): Generator<RequestSeries> {
    for (const all of [this.byPath, this.others]) {
      for (const series of all.values()) if (series && series.seconds.count > 0) yield series;
    }
  }

  private seriesOf(url: string): RequestSeries | null {
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const known = this.byPath.get(path);
    if (known !== undefined) return known;
    const prefix = this.prefixes.find((each) => path.startsWith(each)) ?? '';
    const isBatch = prefix !== '' && path.includes(',');
    return this.others.get(isBatch ? `${prefix},` : prefix) ?? null;
  }
}

function newSeries(api: string, procedure: string): RequestSeries {
  const buckets = BOUNDS.map((bound): [number, number] => [bound, 0]);
  // Prometheus does not see the rise of a counter that begins at 1, such as that of failures.
  const outcomes = { '2xx': 0, '4xx': 0, '5xx': 0 };
  return { api, procedure, outcomes, seconds: { buckets, count: 0, sum: 0 } };
}

function count({ outcomes, seconds }: RequestSeries, res: ServerResponse, passed: number): void {
  const outcome = outcomeOf(res);
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  seconds.count += 1;
  seconds.sum += passed;
  for (let i = seconds.buckets.length - 1; i >= 0; i -= 1) {
    const bucket = seconds.buckets[i];
    if (!bucket || passed > bucket[0]) break;
    bucket[1] += 1;
  }
}

function outcomeOf({ writableFinished, statusCode }: ServerResponse): Outcome {
  if (!writableFinished) return 'gone';
  return `${Math.floor(statusCode / 100)}xx` as Outcome;
}

/** The number of requests to this process, and the duration of its answers. */
export function requestMetrics(all: RequestSeries[]): MetricFamily[] {
  return [
    {
      name: 'lockyard_http_requests_total',
      help:
        'Requests by procedure and kind of answer; gone: the caller hung up first. Streams are ' +
        'left out.',
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
      help: 'From the head of a request to the end of its answer, including waits for a lock.',
      type: 'histogram',
      samples: all.map(({ api, procedure, seconds }) => ({
        labels: { api, procedure },
        ...seconds,
      })),
    },
  ];
}
