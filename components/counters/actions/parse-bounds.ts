import { parseWholeNumber } from '../counter-labels';

/** Two bounds as they were typed. */
export interface TypedBounds {
  floor: string;
  ceiling: string;
}

export interface ParsedBounds {
  floor: number | null;
  ceiling: number | null;
  /** False: one of them is no number, or they are crossed. */
  areValid: boolean;
  areCrossed: boolean;
}

/** Empty: no such bound. */
export function parseBounds(typed: TypedBounds): ParsedBounds {
  const floor = parseWholeNumber(typed.floor);
  const ceiling = parseWholeNumber(typed.ceiling);
  const areNumbers =
    (typed.floor.trim() === '' || floor !== null) &&
    (typed.ceiling.trim() === '' || ceiling !== null);
  const areCrossed = floor !== null && ceiling !== null && floor > ceiling;
  return { floor, ceiling, areValid: areNumbers && !areCrossed, areCrossed };
}

export const isBetween = (value: number, { floor, ceiling }: ParsedBounds): boolean =>
  (floor === null || value >= floor) && (ceiling === null || value <= ceiling);
