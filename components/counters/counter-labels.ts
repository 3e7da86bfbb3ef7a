import type { CounterPage, CounterRow, GateRow } from '@/server/contract/console/counter-row';
import { exactCount } from '@/server/core/format/numbers';

/** A bound is near when the value is closer to it than this share of the range between both. */
const NEAR_SHARE = 0.1;

/** Where a counter's value is in relation to its bounds. */
export type CounterState =
  | 'unknown'
  | 'atFloor'
  | 'atCeiling'
  | 'nearFloor'
  | 'nearCeiling'
  | 'within';

export interface BoundsPosition {
  state: CounterState;
  /** From 0, the floor, to 1, the ceiling; null without both, or where nothing is known. */
  share: number | null;
}

type CounterFacts = Pick<CounterRow, 'value' | 'floor' | 'ceiling' | 'isKnown'>;

/** An unknown value is never shown as within its bounds. */
export function boundsPosition({ value, floor, ceiling, isKnown }: CounterFacts): BoundsPosition {
  if (value === null) return { state: 'unknown', share: null };
  const share = shareOf(value, floor, ceiling);
  if (!isKnown) return { state: 'unknown', share };
  // A counter without a ceiling counts up from its floor.
  if (value === floor && ceiling !== null) return { state: 'atFloor', share };
  if (value === ceiling) return { state: 'atCeiling', share };
  if (share !== null && share < NEAR_SHARE) return { state: 'nearFloor', share };
  if (share !== null && share > 1 - NEAR_SHARE) return { state: 'nearCeiling', share };
  return { state: 'within', share };
}

/** In halves, so that a distance of almost 2^54 is still a number. */
function shareOf(value: number, floor: number | null, ceiling: number | null): number | null {
  if (floor === null || ceiling === null) return null;
  if (floor === ceiling) return 1;
  return (value / 2 - floor / 2) / (ceiling / 2 - floor / 2);
}

/** How far the value is from each bound; the ceiling comes first where it is near. */
export function headroomLabel({ value, floor, ceiling }: CounterFacts): string {
  if (value === null) return 'record unreadable';
  const down = floor === null ? null : distanceLabel(value, floor, 'above', 'the floor');
  const up = ceiling === null ? null : distanceLabel(ceiling, value, 'below', 'the ceiling');
  const share = shareOf(value, floor, ceiling);
  const isHigh = share !== null && share > 1 - NEAR_SHARE;
  const both = isHigh ? [up, down] : [down, up];
  return both.filter((words) => words !== null).join(', ') || 'no limits';
}

function distanceLabel(high: number, low: number, side: string, bound: string): string {
  const far = BigInt(high) - BigInt(low);
  return far === 0n ? `at ${bound}` : `${far.toLocaleString('en-US')} ${side} ${bound}`;
}

/** A bound in a table. */
export const boundLabel = (bound: number | null): string =>
  bound === null ? 'none' : exactCount(bound);

export const boundsLabel = ({ floor, ceiling }: Pick<CounterRow, 'floor' | 'ceiling'>): string =>
  `floor ${boundLabel(floor)}, ceiling ${boundLabel(ceiling)}`;

/** Whether the bounds in a gate differ from those in MySQL at the same rev. */
export function boundsDiffer(
  { rev, floor, ceiling }: CounterRow,
  { fast }: Pick<GateRow, 'fast'>,
): boolean {
  return fast?.rev === rev && (fast.floor !== floor || fast.ceiling !== ceiling);
}

/** What is said in place of the value in a gate, where that has none for this server. */
export const noFastValueLabel = ({ status }: Pick<GateRow, 'status'>): string =>
  status === 'down' || status === 'missing' ? 'unknown' : 'none';

/** How the state in a gate differs from that in MySQL. */
export function driftLabel(row: CounterRow, { fast, drift }: GateRow): string {
  if (!fast) return 'unknown';
  if (drift === null) return 'changing';
  const parts = [
    drift === 0 ? null : deltaLabel(drift),
    boundsDiffer(row, { fast }) ? 'limits differ' : null,
  ];
  return parts.filter((part) => part !== null).join(', ') || 'none';
}

/** A gate's estimate of the distance to each bound; empty for a counter without bounds. */
export function estimateLabel({ fast, estimate }: Pick<GateRow, 'fast' | 'estimate'>): string {
  if (!fast || !estimate) return '';
  const { floor, ceiling } = fast;
  const down = floor === null ? null : `${leftText(estimate.low, floor)} above the floor`;
  const up = ceiling === null ? null : `${leftText(ceiling, estimate.high)} below the ceiling`;
  const left = [down, up].filter((words) => words !== null).join(', ');
  return left === '' ? '' : `estimate: at least ${left}`;
}

const leftText = (high: number, low: number) =>
  (BigInt(high) - BigInt(low)).toLocaleString('en-US');

/** A step with its sign. */
export const deltaLabel = (delta: number): string =>
  delta > 0 ? `+${exactCount(delta)}` : exactCount(delta);

/** The whole number in a text; spaces, commas and underscores are ignored. Null: none. */
export function parseWholeNumber(text: string): number | null {
  const bare = text
    .trim()
    .replace(/^−/, '-')
    .replaceAll(/[\s,_]/g, '');
  if (!/^[-+]?\d+$/.test(bare)) return null;
  const value = Number(bare);
  return Number.isSafeInteger(value) ? value + 0 : null;
}

/** How many counters the list shows; the search finds the others. */
export const COUNTERS_SHOWN = 500;

const SEARCH_MAX = 200;

/** The search text in the address of the list. */
export const readCounterSearch = (params: { get: (name: string) => string | null }): string =>
  (params.get('q') ?? '').slice(0, SEARCH_MAX);

/** How many changes a page of the history shows. */
export const CHANGES_SHOWN = 60;

/**
 * A page of the past with the counters that a search finds. As for the present, upper and lower
 * case are the same.
 */
export function foundInPast(page: CounterPage, search: string): CounterPage {
  if (search === '') return page;
  const sought = search.toLowerCase();
  const rows = page.rows.filter(({ namespace, name }) =>
    `${namespace}/${name}`.toLowerCase().includes(sought),
  );
  return { ...page, rows, matching: rows.length };
}

/**
 * How many counters a search found.
 *
 * @param searched how many of them it looked through: of the past, only those that were read
 */
export function foundLabel(
  { matching, total }: Pick<CounterPage, 'matching' | 'total'>,
  searched: number,
): string {
  const among = searched < total ? `among the first ${exactCount(searched)} of` : 'of';
  return `${exactCount(matching)} ${among} ${exactCount(total)}`;
}
