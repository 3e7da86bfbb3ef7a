/**
 * Appends `more` to a list. Usually the list is still empty, and nothing is copied: a list that
 * stays at one item has capacity for one, while one that grows by `push` reserves seventeen.
 *
 * @param list changed in place, unless it is empty
 * @param more returned itself if the list is empty
 */
export function append<T>(list: T[], more: T[]): T[] {
  if (list.length === 0) return more;
  for (const one of more) list.push(one);
  return list;
}
