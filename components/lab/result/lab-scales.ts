import type { LabRow } from '@/server/contract/console/lab/lab-race';

/** How the bars of a table of results are scaled: the same for all of its rows. */
export interface LabScales {
  /** Units at the right end of the bars of sold units. */
  soldMax: number;
  /** Where the stock is on them, from 0 to 1. */
  stockAt: number;
  /** Operations per second at the right end of the speed bars. */
  opsMax: number;
  /** The ends of the logarithmic latency scale, powers of ten in milliseconds. */
  latencyMs: { from: number; to: number };
}

/** The stock is drawn no further right, so that oversold units beyond it can be seen. */
const STOCK_AT_MOST = 0.4;
/** And no further left, so that correctly sold units can be seen: longer bars are cut off. */
const STOCK_AT_LEAST = 0.2;

const SHORTEST_MS = 0.01;

export function labScales(rows: readonly LabRow[], stock: number): LabScales {
  const most = Math.max(stock / STOCK_AT_MOST, ...rows.map(({ sold }) => sold));
  const soldMax = Math.min(stock / STOCK_AT_LEAST, most);
  const times = rows.flatMap(({ p50Ms, p99Ms }) => [p50Ms, p99Ms]).filter((ms) => ms > 0);
  const from = 10 ** Math.floor(Math.log10(Math.max(SHORTEST_MS, Math.min(1, ...times))));
  const to = 10 ** Math.ceil(Math.log10(Math.max(1_000, ...times)));
  return {
    soldMax,
    stockAt: stock / soldMax,
    opsMax: Math.max(1, ...rows.map(({ opsPerSecond }) => opsPerSecond)),
    latencyMs: { from, to },
  };
}

/** Where a latency is on the scale, from 0 to 1. */
export function latencyPosition(ms: number, { from, to }: LabScales['latencyMs']): number {
  const at = Math.log10(Math.max(ms, from) / from) / Math.log10(to / from);
  return Math.min(1, Math.max(0, at));
}

/** A power of ten in milliseconds as a label: 0.1 ms, 10 ms, 1 s. */
export const decadeText = (ms: number): string =>
  ms >= 1_000 ? `${ms / 1_000}\u00a0s` : `${Number(ms.toPrecision(1))}\u00a0ms`;
