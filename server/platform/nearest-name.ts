/** The name that takes the fewest letters to change into, for "did you mean". */
export function nearestName(typed: string, names: readonly string[]): string {
  const distances = names.map((name) => editDistance(typed, name));
  return names[distances.indexOf(Math.min(...distances))] ?? typed;
}

/** The same, only where it takes at most this many letters; else undefined. */
export function nearName(
  typed: string,
  names: readonly string[],
  most: number,
): string | undefined {
  const nearest = nearestName(typed, names);
  return editDistance(typed, nearest) <= most ? nearest : undefined;
}

/** How many letters must be inserted, removed or replaced (Levenshtein). */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const removed = (previous[column] ?? 0) + 1;
      const inserted = (current[column - 1] ?? 0) + 1;
      current.push(Math.min(replaced, removed, inserted));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
