/**
 * What is left of names that were chosen one by one, after a request that tried some of them;
 * null: nothing. A prefix stays as it is: the names it matches are found again each time.
 */
export function untriedOf<C extends { names?: string[] | undefined }>(
  chosen: C,
  results: readonly { name: string }[],
): C | null {
  if (!chosen.names) return chosen;
  const tried = new Set(results.map(({ name }) => name));
  const names = chosen.names.filter((name) => !tried.has(name));
  return names.length > 0 ? { ...chosen, names } : null;
}
