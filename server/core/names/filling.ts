/** The share of `maxLocks` at which the console warns that a namespace is filling up. */
const FILLING_AT = 0.8;

/** Whether a namespace has so many names that the console should warn. */
export function isFilling(names: number, maxLocks: number): boolean {
  return names >= maxLocks * FILLING_AT;
}
