import { STEERING } from './printable';

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
