import { setImmediate, setTimeout } from 'node:timers/promises';
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';

/** Gauges that are named like counters, which `promtool check metrics` complains about. */
const MISNAMED = ['handles', 'requests', 'resources'].map((of) => `nodejs_active_${of}_total`);

/** One line of a metric. */
export interface Sample {
  labels: Record<string, string>;
  value: number;
}

/** The lines of one histogram. */
export interface HistogramSample {
  labels: Record<string, string>;
  /** How many values are at or below each bound; bounds ascend. */
  buckets: [bound: number, count: number][];
  count: number;
  sum: number;
}

/** A metric with its present values. */
export type MetricFamily = { name: string; help: string } & (
  | { type: 'gauge' | 'counter'; samples: Sample[] }
  | { type: 'histogram'; samples: HistogramSample[] }
);

type Collect = () => MetricFamily[] | Promise<MetricFamily[]>;

/** Pause between two readings, so that calls are served however many readers ask. */
const REST_MS = 50;

/** Values that have not been measured yet, which prom-client writes as `Nan`, not `NaN`. */
const NAN_LINE = /^.* Nan\n/gm;
/** Before the event loop has been sampled, its shortest lag reads as three hundred years. */
const NO_LAG_YET = 'nodejs_eventloop_lag_mean_seconds Nan\n';
const LAG_LINE = /^nodejs_eventloop_lag_\w+ .*\n/gm;

/**
 * The metrics of this process for Prometheus. Nothing is stored only for them: every value is
 * looked up when they are read, so a process whose metrics are never read has no cost.
 */
export class Metrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  private readonly collectors: Collect[] = [];
  private processMetrics: Registry | null = null;
  /** The reading that was requested and has not begun. */
  private next: Promise<string> | null = null;
  private rested: Promise<unknown> = Promise.resolve();

  /** @param collect reads the present values; no two collectors may use the same name */
  add(collect: Collect): void {
    this.collectors.push(collect);
  }

  /**
   * All metrics in the text format of Prometheus, with the usual ones of the process. Requests that
   * arrive before the text is complete share it: with many locks, building it takes long enough to
   * delay calls.
   */
  text(): Promise<string> {
    this.next ??= this.readNext();
    return this.next;
  }

  private async readNext(): Promise<string> {
    await Promise.all([this.rested, setImmediate()]);
    this.next = null;
    const reading = this.read();
    const rest = () => setTimeout(REST_MS, undefined, { ref: false });
    this.rested = reading.then(rest, rest);
    return reading;
  }

  private async read(): Promise<string> {
    const registry = new Registry();
    for (const collect of this.collectors) {
      for (const family of await collect()) registry.registerMetric(toMetric(family));
    }
    const ofProcess = await this.processRegistry().metrics();
    const sampled = ofProcess.includes(NO_LAG_YET) ? ofProcess.replace(LAG_LINE, '') : ofProcess;
    return `${await registry.metrics()}\n${sampled.replace(NAN_LINE, '')}`;
  }

  private processRegistry(): Registry {
    if (!this.processMetrics) {
      this.processMetrics = new Registry();
      collectDefaultMetrics({ register: this.processMetrics });
      for (const name of MISNAMED) this.processMetrics.removeSingleMetric(name);
    }
    return this.processMetrics;
  }
}

/** A metric for a registry that is read once and uses only its `get`. */
function toMetric(family: MetricFamily): Metric {
  const { name, help, type } = family;
  const values =
    family.type === 'histogram'
      ? family.samples.flatMap((sample) => histogramLines(name, sample))
      : family.samples;
  const get = async () => ({ name, help, type, aggregator: 'sum', values });
  return { name, help, type, get } as unknown as Metric;
}

function histogramLines(name: string, { labels, buckets, count, sum }: HistogramSample) {
  const all = [
    ...buckets.map(([bound, value]) => [String(bound), value] as const),
    ['+Inf', count] as const,
  ];
  return [
    ...all.map(([le, value]) => ({
      metricName: `${name}_bucket`,
      labels: { ...labels, le },
      value,
    })),
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
