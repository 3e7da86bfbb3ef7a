import type { OldestHold, ProcessRow } from './holder-rows';

/** What is known of a process; `deadlock`: one of its waits is part of a deadlock. */
export const HOLDER_FILTERS = ['dead', 'alive', 'unknown', 'deadlock', 'blocking'] as const;
export type HolderFilter = (typeof HOLDER_FILTERS)[number];

/** How many processes each filter shows, of those that are listed without a search. */
export interface HolderFigures extends Record<HolderFilter, number> {
  services: number;
  /** How many holds the dead ones have. */
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

/** Why nothing recent is known of those processes whose state is unknown. */
export function unknownBecause(rows: readonly ProcessRow[]): string {
  const unknown = rows.filter((row) => matchesHolder(row, 'unknown'));
  const silent = new Set(unknown.flatMap(({ silentBackends }) => silentBackends));
  const isEach = unknown.length > 0 && unknown.every((row) => row.silentBackends.length > 0);
  return isEach ? `${[...silent].join(', ')} not responding` : 'no recent evidence';
}

/** The last report of a backend that no longer responds says nothing about a process now. */
function stateOf({ verdict, silentBackends }: ProcessRow): 'dead' | 'alive' | 'unknown' {
  if (verdict?.state === 'dead') return 'dead';
  return silentBackends.length > 0 ? 'unknown' : (verdict?.state ?? 'unknown');
}

/** The oldest of several holds; nulls are ignored. */
export function oldestOf(holds: readonly (OldestHold | null)[]): OldestHold | null {
  const known = holds.filter((hold) => hold !== null);
  return known.sort((a, b) => a.grantedAt - b.grantedAt)[0] ?? null;
}
