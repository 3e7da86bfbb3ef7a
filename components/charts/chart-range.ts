import { INSIGHT_RANGES, type InsightRange } from '@/server/contract/console/insight-row';
import { formatInstant } from '../format/instants';

/** Each range as the label of its link, and in a sentence: how long it is, and up to now. */
export const RANGE_LABELS: Record<InsightRange, { short: string; span: string; long: string }> = {
  '1h': { short: '1\u00a0h', span: 'hour', long: 'last hour' },
  '24h': { short: '24\u00a0h', span: '24 hours', long: 'last 24 hours' },
  '7d': { short: '7\u00a0d', span: '7 days', long: 'last 7 days' },
  '30d': { short: '30\u00a0d', span: '30 days', long: 'last 30 days' },
};

/** A range in a sentence: last hour, or of a past time: hour until 20 Nov, 14:33. */
export function rangeLabel(range: InsightRange, at: number | null): string {
  const { span, long } = RANGE_LABELS[range];
  return at === null ? long : `${span} until ${formatInstant(at, undefined, UNTIL)}`;
}

const UNTIL: Intl.DateTimeFormatOptions = {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
};

const DEFAULT_RANGE: InsightRange = '1h';

/** The range in an address; the default if there is none or it is unknown. */
export function readRange(params: { get: (name: string) => string | null }): InsightRange {
  return INSIGHT_RANGES.find((range) => range === params.get('range')) ?? DEFAULT_RANGE;
}

/** The address of a lock's page with a range; the default range is left out. */
export function rangeUrl(pathname: string, range: InsightRange): string {
  return range === DEFAULT_RANGE ? pathname : `${pathname}?range=${range}`;
}

/** The next wider range; null for the widest. */
export function widerRange(range: InsightRange): InsightRange | null {
  return INSIGHT_RANGES[INSIGHT_RANGES.indexOf(range) + 1] ?? null;
}
