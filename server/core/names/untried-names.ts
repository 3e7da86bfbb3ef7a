/**
 * The chosen names that are left after a request tried some of them; null: none. A prefix stays as
 * it is: the names that it matches are looked up each time.
 */
export function untriedNames<C extends { names?: string[] | undefined }>(
  chosen: C,
  results: readonly { name: string }[],
): C | null {
  if (!chosen.names) return chosen;
  const tried = new Set(results.map(({ name }) => name));
  const names = chosen.names.filter((name) => !tried.has(name));
  return names.length > 0 ? { ...chosen, names } : null;
}
