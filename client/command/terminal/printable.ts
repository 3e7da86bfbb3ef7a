/** What would move a terminal's cursor or change its mode. */
const STEERING = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Text that is safe on a terminal: what would move its cursor or change its mode is escaped. */
export function printable(text: string): string {
  return text.replace(STEERING, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** JSON that is safe on a terminal too: control characters are escaped, its meaning is the same. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(STEERING, (character) =>
    Array.from({ length: character.length }, (_, place) => escapeOf(character, place)).join(''),
  );
}

function escapeOf(character: string, place: number): string {
  return `\\u${character.charCodeAt(place).toString(16).padStart(4, '0')}`;
}
