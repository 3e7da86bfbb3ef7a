import { LockyardError } from '../../../contract/errors';

/** Either way in which a JSON text can spell a key that objects treat as their prototype. */
const SUSPICIOUS = /__proto__|\\u/i;

/**
 * Refuses a JSON text with a `__proto__` key at any depth. No schema has one; where keys are free,
 * it would be lost in silence. Broken JSON passes: the parser that comes next has the words for it.
 *
 * @throws LockyardError `INVALID`
 */
export function refusePrototypeKeys(text: string): void {
  if (!SUSPICIOUS.test(text)) return;
  let isFound = false;
  try {
    JSON.parse(text, (key, value) => {
      isFound ||= key === '__proto__';
      return value;
    });
  } catch {
    return;
  }
  if (isFound) throw new LockyardError('INVALID', '__proto__ is not a key.');
}
