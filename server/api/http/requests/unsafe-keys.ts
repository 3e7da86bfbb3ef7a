import { LockyardError } from '../../../contract/errors';

const SHOWN_MAX_CHARS = 20;

const QUOTE = 0x22;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** Up to this many keys, a linear search is faster. */
const LINEAR_MAX = 16;

/** The keys of one object so far; null: none, or it is a list. */
type Keys = string[] | Set<string> | null;

/**
 * Refuses a JSON text in which an object, at any depth, has a key twice or a `__proto__` key. Of
 * two equal keys a parser would take the last, and a proxy in front may have checked the first. No
 * schema has `__proto__`; where keys are free, it would be lost silently. The text is not parsed,
 * which could take long; the parser refuses what is not JSON.
 *
 * @throws LockyardError `INVALID`
 */
export function refuseUnsafeKeys(text: string): void {
  const open: Keys[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      const end = endOfString(text, at);
      const keys = isKey(text, end) ? open.at(-1) : undefined;
      if (keys !== undefined) open[open.length - 1] = withKey(keys, text.slice(at, end));
      at = end - 1;
    } else if (char === OPENING_BRACE || char === OPENING_BRACKET) open.push(null);
    else if (char === CLOSING_BRACE || char === CLOSING_BRACKET) open.pop();
  }
}

/** @param spelled with its quotes */
function withKey(keys: Keys, spelled: string): Keys {
  const key = spelled.includes('\\') ? decoded(spelled) : spelled.slice(1, -1);
  if (key === '__proto__') throw new LockyardError('INVALID', '__proto__ is not a key.');
  if (keys === null) return [key];
  if (keys instanceof Set ? keys.has(key) : keys.includes(key)) {
    const shown = JSON.stringify(key.slice(0, SHOWN_MAX_CHARS));
    throw new LockyardError('INVALID', `An object has the field ${shown} twice.`);
  }
  if (keys instanceof Set) return keys.add(key);
  return keys.push(key) > LINEAR_MAX ? new Set(keys) : keys;
}

function decoded(spelled: string): string {
  try {
    return JSON.parse(spelled);
  } catch {
    return spelled;
  }
}

/** The position after a string; the end of the text if the string is unterminated. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}

function isKey(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return text.charCodeAt(at) === COLON;
}
