import { INSIGHT_RANGES, type InsightRange } from '@/server/contract/console/insight-row';

/** Each range as its link says it, and as a sentence does. */
export const RANGE_LABELS: Record<InsightRange, { short: string; long: string }> = {
  '1h': { short: '1\u00a0h', long: 'last hour' },
  '24h': { short: '24\u00a0h', long: 'last 24 hours' },
  '7d': { short: '7\u00a0d', long: 'last 7 days' },
  '30d': { short: '30\u00a0d', long: 'last 30 days' },
};

const DEFAULT_RANGE: InsightRange = '1h';

/** The range that an address asks for; what it does not understand counts as not said. */
export function readRange(params: { get: (name: string) => string | null }): InsightRange {
  return INSIGHT_RANGES.find((range) => range === params.get('range')) ?? DEFAULT_RANGE;
}

/** The address of a lock's page with a range, without what goes without saying. */
export function rangeUrl(pathname: string, range: InsightRange): string {
  return range === DEFAULT_RANGE ? pathname : `${pathname}?range=${range}`;
}

/** The next wider range; null for the widest. */
export function widerRange(range: InsightRange): InsightRange | null {
  return INSIGHT_RANGES[INSIGHT_RANGES.indexOf(range) + 1] ?? null;
}
