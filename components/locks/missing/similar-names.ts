/** The minimum length of a part: a shorter one is found in too many names. */
const PART_MIN = 3;
const PARTS_MAX = 3;

/**
 * The parts of a name to search for: if two names differ in one place, in at most two neighbouring
 * letters, one of three parts is the same in both.
 */
export function searchedParts(name: string): string[] {
  const letters = [...name];
  const parts = Math.min(PARTS_MAX, Math.floor(letters.length / PART_MIN));
  if (parts <= 1) return [name];
  const at = (part: number) => Math.round((part * letters.length) / parts);
  return Array.from({ length: parts }, (_, i) => letters.slice(at(i), at(i + 1)).join(''));
}

/** The most similar names, best first: those with the longest common beginning and end. */
export function mostAlike<T extends { name: string }>(
  typed: string,
  rows: readonly T[],
  atMost: number,
): T[] {
  const ranked = rows.map((row) => ({ row, share: alikeShare(typed, row.name) }));
  return ranked
    .filter(({ share }) => share >= 0.5)
    .sort((a, b) => b.share - a.share)
    .slice(0, atMost)
    .map(({ row }) => row);
}

/** The share of the longer name that is common beginning or end, ignoring case; 1: all of it. */
function alikeShare(one: string, other: string): number {
  const [a, b] = [[...one.toLowerCase()], [...other.toLowerCase()]];
  const shorter = Math.min(a.length, b.length);
  let begin = 0;
  while (begin < shorter && a[begin] === b[begin]) begin++;
  let end = 0;
  while (end < shorter - begin && a.at(-1 - end) === b.at(-1 - end)) end++;
  return (begin + end) / Math.max(a.length, b.length);
}
