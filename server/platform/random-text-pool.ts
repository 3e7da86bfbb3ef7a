import { randomFillSync } from 'node:crypto';

const TEXTS_AT_ONCE = 512;

/** Four characters encode three bytes. */
const BITS_PER_CHAR = 6;

/** V8 keeps a longer slice as a reference to the text that it was cut from. */
const CUT_CHARS_MAX = 12;

/**
 * Generates unique random texts of at least `bytes` random bytes each, in letters, digits, `-` and
 * `_`: 11 characters for 8 bytes, 16 for 12. Hundreds are drawn together and encoded as one text: a
 * draw for each can cost as much as a whole lock operation, and encoding each costs more than
 * cutting it.
 */
export function randomTextPool(bytes: number): () => string {
  const length = Math.ceil((bytes * 8) / BITS_PER_CHAR);
  const drawn = Buffer.alloc((TEXTS_AT_ONCE * length * BITS_PER_CHAR) / 8);
  const cut = Math.ceil(length / Math.ceil(length / CUT_CHARS_MAX));
  let texts = '';
  let used = 0;
  return () => {
    if (used === texts.length) {
      texts = randomFillSync(drawn).toString('base64url');
      used = 0;
    }
    const end = used + length;
    let text = '';
    for (; used < end; used += cut) text += texts.slice(used, Math.min(used + cut, end));
    used = end;
    return text;
  };
}
