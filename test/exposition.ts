/** One series of a scrape. */
export interface ScrapedSeries {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** One metric of a scrape, with everything under its `# TYPE`. */
export interface ScrapedMetric {
  help: string;
  type: string;
  series: ScrapedSeries[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LINE =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|[+-]Inf|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/;
const TYPES = ['counter', 'gauge', 'histogram', 'summary'];

/**
 * Reads the text format of Prometheus, and throws at anything that a strict reader rejects: an
 * unknown line, a metric in two places or twice, a series without its type, a name or label that is
 * not allowed, a histogram that does not add up.
 */
export function parseExposition(text: string): Map<string, ScrapedMetric> {
  if (!text.endsWith('\n')) throw new Error('The last line has no end.');
  const metrics = new Map<string, ScrapedMetric>();
  const seen = new Set<string>();
  let current: { name: string; metric: ScrapedMetric } | null = null;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword === 'HELP') {
      if (!NAME.test(name) || metrics.has(name)) throw new Error(`Out of place: ${line}`);
      current = { name, metric: { help: rest, type: '', series: [] } };
      metrics.set(name, current.metric);
    } else if (keyword === 'TYPE') {
      if (current?.name !== name || current.metric.type !== '' || !TYPES.includes(rest)) {
        throw new Error(`Out of place: ${line}`);
      }
      current.metric.type = rest;
    } else {
      const series = parseSeries(line);
      const id = `${series.name} ${JSON.stringify(Object.entries(series.labels).sort())}`;
      if (seen.has(id)) throw new Error(`Twice: ${line}`);
      if (!current || !belongs(series.name, current)) throw new Error(`Out of place: ${line}`);
      seen.add(id);
      current.metric.series.push(series);
    }
  }
  for (const [name, metric] of metrics) {
    if (metric.type === '') throw new Error(`${name} has no type.`);
    if (metric.type === 'counter') requireCounter(name, metric);
    if (metric.type === 'histogram') requireHistogram(name, metric);
  }
  return metrics;
}

function parseSeries(line: string): ScrapedSeries {
  const [, name, inBraces = '', number] = LINE.exec(line) ?? [];
  if (name === undefined) throw new Error(`No line of a metric: ${line}`);
  const labels: Record<string, string> = {};
  for (let left = inBraces; left !== ''; ) {
    const [whole, label = '', value = ''] = LABEL.exec(left) ?? [];
    if (whole === undefined || label in labels) throw new Error(`No labels: ${line}`);
    labels[label] = value.replace(/\\(.)/g, (_, sign) => (sign === 'n' ? '\n' : sign));
    left = left.slice(whole.length);
    if (left === '' && whole.endsWith(',')) throw new Error(`No labels: ${line}`);
  }
  const value = Number(number?.replace('Inf', 'Infinity'));
  return { name, labels, value };
}

function belongs(
  name: string,
  { name: family, metric: { type } }: { name: string; metric: ScrapedMetric },
) {
  if (type === 'histogram') {
    return ['_bucket', '_sum', '_count'].some((part) => name === family + part);
  }
  return type === 'summary' ? name.startsWith(family) : name === family;
}

function requireCounter(name: string, { series }: ScrapedMetric): void {
  const isBad = series.some(({ value }) => !(value >= 0));
  if (!name.endsWith('_total') || isBad) throw new Error(`${name} is no counter.`);
}

function requireHistogram(name: string, { series }: ScrapedMetric): void {
  const groups = new Map<string, ScrapedSeries[]>();
  for (const each of series) {
    const { le: _, ...labels } = each.labels;
    const id = JSON.stringify(labels);
    groups.set(id, [...(groups.get(id) ?? []), each]);
  }
  for (const [labels, group] of groups) {
    const buckets = group.filter((each) => each.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels: { le = '' } }) => Number(le.replace('Inf', 'Infinity')));
    const counts = buckets.map(({ value }) => value);
    const rises = (list: number[], isBelow: (a: number, b: number) => boolean) =>
      list.every((value, i) => i === 0 || isBelow(list[i - 1] as number, value));
    const count = group.find((each) => each.name === `${name}_count`)?.value;
    const sum = group.find((each) => each.name === `${name}_sum`)?.value;
    const isWhole =
      rises(bounds, (a, b) => a < b) &&
      rises(counts, (a, b) => a <= b) &&
      bounds.at(-1) === Number.POSITIVE_INFINITY &&
      counts.at(-1) === count &&
      sum !== undefined;
    if (!isWhole) throw new Error(`${name}${labels} does not add up.`);
  }
}
