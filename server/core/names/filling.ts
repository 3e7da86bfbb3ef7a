/** At this part of `maxLocks` people are warned that a namespace fills up. */
const FILLING_AT = 0.8;

/** Whether a namespace has so many names that people should know. */
export function isFilling(names: number, maxLocks: number): boolean {
  return names >= maxLocks * FILLING_AT;
}
