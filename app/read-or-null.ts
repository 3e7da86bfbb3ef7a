/**
 * What a page can do without at its first paint: null where it cannot be read; the page's own query
 * says why.
 */
export function readOrNull<T>(reading: Promise<T>): Promise<T | null> {
  return reading.catch(() => null);
}
