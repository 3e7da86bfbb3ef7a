/**
 * The order of UTF-8 bytes, which is that of code points. JavaScript's own order differs between
 * surrogate pairs and characters from U+E000 to U+FFFF.
 */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  for (let i = 0; ; i += 1) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    if (Number.isNaN(x)) return -1;
    if (Number.isNaN(y)) return 1;
    const [p, q] = [isSurrogate(x), isSurrogate(y)];
    return p === q ? x - y : p ? 1 : -1;
  }
}

const isSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
