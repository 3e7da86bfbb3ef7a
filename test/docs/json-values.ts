/** A value of a JSON example; not whole if the page omits a part of it. */
export interface JsonValue {
  value: unknown;
  isWhole: boolean;
}

/** Removes comments, but not the two slashes in a quoted text, such as a URL. */
const withoutComments = (text: string) =>
  text.replace(/("(?:[^"\\]|\\.)*")|\/\/.*$/gm, (_, quoted?: string) => quoted ?? '');

/** The values of a block, each on one line or several. Throws if a text is not JSON. */
export function valuesIn(text: string): JsonValue[] {
  const values: JsonValue[] = [];
  let pending = '';
  for (const line of withoutComments(text).split('\n')) {
    pending += `${line}\n`;
    if (pending.trim() === '') continue;
    const filled = pending
      .replaceAll(/([[{])\s*…\s*([\]}])/g, '$1$2')
      .replaceAll(/,\s*…\s*([\]}])/g, '$1');
    try {
      const isWhole = !pending.includes('…');
      values.push({ value: JSON.parse(filled), isWhole });
      pending = '';
    } catch {
      // It continues on the next line.
    }
  }
  if (pending.trim() !== '') throw new Error(`is no JSON: ${pending.trim()}`);
  return values;
}
