/**
 * A list with more behind it. Most often the list is still empty, and nothing is copied: one that stays at one item keeps
 * room for one, where an array that grows by `push` makes room for seventeen.
 *
 * @param list changed in place, unless it is empty
 * @param more belongs to what is returned
 */
export function joined<T>(list: T[], more: T[]): T[] {
  if (list.length === 0) return more;
  for (const one of more) list.push(one);
  return list;
}
