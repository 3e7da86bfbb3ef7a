import { LockyardError } from '../../../contract/errors';

/** A character as a JSON text may spell it in a string. */
const spelled = (char: string) => {
  const hex = char.charCodeAt(0).toString(16).padStart(4, '0');
  return `(?:${char}|\\\\u${hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)})`;
};

/** A key is what follows a brace or a comma: within a string, a quote has a backslash before it. */
const PROTOTYPE_KEY = new RegExp(`[{,]\\s*"${[...'__proto__'].map(spelled).join('')}"\\s*:`);

/**
 * Refuses a JSON text with a `__proto__` key at any depth. No schema has one; where keys are free,
 * it would be lost in silence. It is not parsed for that, which could take long.
 *
 * @throws LockyardError `INVALID`
 */
export function refusePrototypeKeys(text: string): void {
  if (PROTOTYPE_KEY.test(text)) throw new LockyardError('INVALID', '__proto__ is not a key.');
}
