/** What would move a terminal's cursor or change its mode. */
export const STEERING = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Text as a terminal may be given it: what would move its cursor or change its mode is written out
 * as `\u{…}`.
 */
export function printable(text: string): string {
  return text.replace(STEERING, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
