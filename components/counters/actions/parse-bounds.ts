import { wholeNumber } from '../counter-labels';

/** Two bounds as they were typed. */
export interface TypedBounds {
  floor: string;
  ceiling: string;
}

export interface ReadBounds {
  floor: number | null;
  ceiling: number | null;
  /** False: one of them is no number, or they are crossed. */
  areSound: boolean;
  areCrossed: boolean;
}

/** Empty: no such bound. */
export function readBounds(typed: TypedBounds): ReadBounds {
  const floor = wholeNumber(typed.floor);
  const ceiling = wholeNumber(typed.ceiling);
  const areNumbers =
    (typed.floor.trim() === '' || floor !== null) &&
    (typed.ceiling.trim() === '' || ceiling !== null);
  const areCrossed = floor !== null && ceiling !== null && floor > ceiling;
  return { floor, ceiling, areSound: areNumbers && !areCrossed, areCrossed };
}

export const isBetween = (value: number, { floor, ceiling }: ReadBounds): boolean =>
  (floor === null || value >= floor) && (ceiling === null || value <= ceiling);
