/** The range of a counter's value. Null: no bound but that of safe integers. */
export interface Bounds {
  floor: number | null;
  ceiling: number | null;
}

/** Whether these bounds allow this value. Also correct for the sum of two safe integers. */
export function isWithin(value: number, { floor, ceiling }: Bounds): boolean {
  if (!Number.isSafeInteger(value)) return false;
  return (floor === null || value >= floor) && (ceiling === null || value <= ceiling);
}

/** Whether any value is within these bounds. */
export function areBounds({ floor, ceiling }: Bounds): boolean {
  return floor === null || ceiling === null || floor <= ceiling;
}
