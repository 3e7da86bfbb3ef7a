import type { LockRow } from '@/server/contract/console/lock-row';
import { totalBlockingMs } from '@/server/core/status/blocking-time';
import { TIERS } from '@/server/core/status/lock-status';
import { displayedMs } from '../../../format/durations';

/** The tiers of what needs attention, in the order of the list. */
export const SECTION_TITLES = ['Act now', 'Unknown', 'Watch'] as const;

/** Rows of one tier that follow one another. */
export interface TierSection {
  /** Its index in `SECTION_TITLES`. */
  tier: number;
  /** The position of its first row. */
  first: number;
  rows: LockRow[];
}

/**
 * The rows of the attention view by tier. A row that has calmed down keeps its place for a while:
 * it belongs to the section that it is in.
 *
 * @param rows all of them, in the order of the list
 */
export function tierSections(rows: readonly LockRow[]): TierSection[] {
  const sections: TierSection[] = [];
  let tier: number = SECTION_TITLES.length - 1;
  for (let place = rows.length - 1; place >= 0; place -= 1) {
    const row = rows[place] as LockRow;
    tier = Math.min(tier, tierOf(row));
    const [next] = sections;
    if (next?.tier === tier) {
      next.first = place;
      next.rows.unshift(row);
    } else {
      sections.unshift({ tier, first: place, rows: [row] });
    }
  }
  return sections;
}

/** How many rows of a section are of its tier, without those that have calmed down. */
export const countOf = ({ tier, rows }: TierSection): number =>
  rows.filter((row) => tierOf(row) === tier).length;

/** The total blocking time of rows: the sum of what they show, each of which is rounded down. */
export function blockingOf(rows: readonly LockRow[], nowOf: (row: LockRow) => number): number {
  const shown = rows.map((row) =>
    row.blocked ? displayedMs(totalBlockingMs(row.blocked, nowOf(row))) : 0,
  );
  return displayedMs(shown.reduce((sum, ms) => sum + ms, 0));
}

/** How many sections begin at a position or before. */
export const headsUntil = (sections: readonly TierSection[], place: number): number =>
  sections.filter(({ first }) => first <= place).length;

const tierOf = ({ tier }: LockRow): number => (tier ? TIERS.indexOf(tier) : CALM);

/** The tier of rows that have calmed down; it has no section. */
const CALM = SECTION_TITLES.length;
