/** What would move a terminal's cursor or change its mode. */
const STEERING = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Text as a terminal may be given it: what would move its cursor or change its mode is written out
 * as `\u{…}`.
 */
export function printable(text: string): string {
  return text.replace(STEERING, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/**
 * JSON for programs that a terminal may be given as well: what would steer it is escaped, and the
 * JSON says the same.
 */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(STEERING, (character) =>
    Array.from({ length: character.length }, (_, place) => escapeOf(character, place)).join(''),
  );
}

function escapeOf(character: string, place: number): string {
  return `\\u${character.charCodeAt(place).toString(16).padStart(4, '0')}`;
}
