/** Characters that could move a terminal's cursor or change its mode. */
const CONTROL = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Text that is safe on a terminal: characters that could move its cursor or change its mode are
 * escaped.
 */
export function printable(text: string): string {
  return text.replace(CONTROL, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** JSON that is safe on a terminal too: control characters are escaped, its meaning is the same. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(CONTROL, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeOf(character, index)).join(''),
  );
}

function escapeOf(character: string, index: number): string {
  return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
}
