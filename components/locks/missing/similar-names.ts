/** Below this, half a name is found in too many others. */
const HALF_MIN = 3;

/** What to look for: of two names that differ in one place, one half is the same in both. */
export function searchedHalves(name: string): string[] {
  const characters = [...name];
  const middle = Math.floor(characters.length / 2);
  const halves = [characters.slice(0, middle), characters.slice(middle)];
  const texts = halves.filter(({ length }) => length >= HALF_MIN).map((half) => half.join(''));
  return texts.length > 0 ? texts : [name];
}

/** The ones that are written most alike, best first: by what they begin and end with alike. */
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

/** The share of the longer name that both begin or end with, whatever the case; 1: the same. */
function alikeShare(one: string, other: string): number {
  const [a, b] = [[...one.toLowerCase()], [...other.toLowerCase()]];
  const shorter = Math.min(a.length, b.length);
  let begin = 0;
  while (begin < shorter && a[begin] === b[begin]) begin++;
  let end = 0;
  while (end < shorter - begin && a.at(-1 - end) === b.at(-1 - end)) end++;
  return (begin + end) / Math.max(a.length, b.length);
}
