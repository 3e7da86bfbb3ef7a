import type { Filling } from '../contract/console/namespace-row';

/** The share of `maxLocks` at which the console warns that a namespace is filling up. */
const FILLING_AT = 0.8;

/** Whether a namespace has so many names that the console should warn. */
export function isFilling(names: number, maxLocks: number): boolean {
  return names >= maxLocks * FILLING_AT;
}

interface NameUse {
  name: string;
  /** Locks and counters. */
  used: number;
  maxLocks: number;
}

/** The namespaces that are full, or else those that are nearly full; null: there are none. */
export function findFilling(namespaces: readonly NameUse[]): Filling | null {
  const filling = namespaces.filter(({ used, maxLocks }) => isFilling(used, maxLocks));
  const full = filling.filter(({ used, maxLocks }) => used >= maxLocks);
  const [first, ...more] = full.length > 0 ? full : filling;
  if (!first) return null;
  const nearly = filling.length - full.length;
  return { first, isFull: full.length > 0, more: more.length, nearly };
}
