import { outageText } from '../backend-health';
import type { HoldersPage, OldestHold, ProcessRow } from './holder-rows';

/** The filters of the list of processes; `deadlock`: a wait of the process is in a deadlock. */
export const HOLDER_FILTERS = ['dead', 'alive', 'unknown', 'deadlock', 'blocking'] as const;
export type HolderFilter = (typeof HOLDER_FILTERS)[number];

/** How many processes each filter shows, of those that are listed without a search. */
export interface HolderFigures extends Record<HolderFilter, number> {
  services: number;
  /** The number of holds of dead processes. */
  leftBehind: number;
}

export function figuresOf(rows: readonly ProcessRow[]): HolderFigures {
  const figures: HolderFigures = {
    services: new Set(rows.map(({ service }) => service)).size,
    leftBehind: 0,
    dead: 0,
    alive: 0,
    unknown: 0,
    deadlock: 0,
    blocking: 0,
  };
  for (const row of rows) {
    for (const filter of HOLDER_FILTERS) if (matchesHolder(row, filter)) figures[filter] += 1;
    if (matchesHolder(row, 'dead')) figures.leftBehind += row.holds;
  }
  return figures;
}

export function matchesHolder(row: ProcessRow, filter: HolderFilter | null): boolean {
  switch (filter) {
    case null:
      return true;
    case 'deadlock':
      return row.inDeadlock;
    case 'blocking':
      return row.blocked > 0;
    default:
      return row.holds > 0 && stateOf(row) === filter;
  }
}

/** Why the state of some processes is unknown, in words. */
export function unknownBecause({ rows, backends }: Pick<HoldersPage, 'rows' | 'backends'>): string {
  const unknown = rows.filter((row) => matchesHolder(row, 'unknown'));
  const silent = new Set(unknown.flatMap(({ silentBackends }) => silentBackends));
  const isEach = unknown.length > 0 && unknown.every((row) => row.silentBackends.length > 0);
  return isEach ? outageText([...silent], backends) : 'no recent evidence';
}

/** The state of a process now, about which the last reading of a silent backend says nothing. */
function stateOf({ verdict, silentBackends }: ProcessRow): 'dead' | 'alive' | 'unknown' {
  if (verdict?.state === 'dead') return 'dead';
  return silentBackends.length > 0 ? 'unknown' : (verdict?.state ?? 'unknown');
}

/** The oldest of these holds, ignoring nulls; null: there is none. */
export function oldestOf(holds: readonly (OldestHold | null)[]): OldestHold | null {
  const known = holds.filter((hold) => hold !== null);
  return known.sort((a, b) => a.grantedAt - b.grantedAt)[0] ?? null;
}
