import { type HolderFilter, matchesHolder } from '@/server/contract/console/waits/holder-figures';
import type { HoldersPage, ProcessRow } from '@/server/contract/console/waits/holder-rows';
import { exactCount, plural } from '@/server/core/format/numbers';
import { type HolderPlace, isIn } from './holder-filter';

/** Which processes the page should show. */
export interface HolderQuery extends HolderPlace {
  search: string;
  verdict: HolderFilter | null;
}

/** The processes that the page shows, and what it knows about the others. */
export interface HolderList {
  rows: ProcessRow[];
  /** The server has not searched all processes yet: only those of the last page are searched. */
  isSearching: boolean;
  isFiltered: boolean;
  /** How many are found, in words; empty where that is not known, or all are shown. */
  count: string;
  /** How many more processes the server found than it sent. */
  more: number;
  /** Some of these may be waiting, or block others. */
  isCut: boolean;
}

export function listHolders(page: HoldersPage, query: HolderQuery): HolderList {
  const { search, verdict, namespace, backend } = query;
  const isSearching = page.search !== search;
  const found = isSearching ? page.rows.filter((row) => isNamed(row, search)) : page.rows;
  const rows = found.filter((row) => matchesHolder(row, verdict) && isIn(row, query));
  const isNarrowed = verdict !== null || namespace !== null || backend !== null;
  const isFiltered = search !== '' || isNarrowed;
  const more = page.found - page.rows.length;
  return {
    rows,
    isSearching,
    isFiltered,
    count: isFiltered && !isSearching ? countText(page, isNarrowed ? rows.length : null) : '',
    more,
    // Those that wait or block others are listed before all others.
    isCut: more > 0 && page.rows.every(({ waits, blocked }) => waits > 0 || blocked > 0),
  };
}

/** Whether a process matches a search, as far as its row shows. */
function isNamed({ service, owners, host, pid, version }: ProcessRow, search: string): boolean {
  const text = [service, ...owners, host, pid, version].join(' ');
  return text.toLowerCase().includes(search.toLowerCase());
}

/** @param shown of the rows of the page, after a filter that the others were not asked for */
function countText({ rows, found }: HoldersPage, shown: number | null): string {
  if (shown === null) return plural(found, 'process matches', 'processes match');
  return `${exactCount(shown)} of ${plural(rows.length, 'process', 'processes')}`;
}
