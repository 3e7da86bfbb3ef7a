import { z } from 'zod';
import { MISSING } from './plain-issues';

/** The most bytes of UTF-8 for one UTF-16 code unit; a character beyond U+FFFF is two of these. */
const CHAR_MAX_BYTES = 3;

/**
 * Whether a text has at most `max` bytes of UTF-8. Most are so short that no bytes are counted.
 */
export const fits = (text: string, max: number) =>
  text.length * CHAR_MAX_BYTES <= max || new TextEncoder().encode(text).length <= max;

export const isWellFormed = (text: string) => text.isWellFormed();

/**
 * Text of `min` to `max` bytes of UTF-8 without NUL. Accepted text is kept byte by byte. A wrong
 * text ends the reading of a long list, so each check aborts.
 */
export function exactText(max: number, min = 1) {
  const size = min === 0 ? `at most ${max}` : `${min} to ${max}`;
  const message = `must be a text of ${size} bytes of UTF-8`;
  return z
    .string({ error: ({ input }) => (input === undefined ? MISSING : message) })
    .min(min, { abort: true })
    .max(max, { abort: true })
    .refine((text) => !text.includes('\0'), { error: 'must not contain NUL', abort: true })
    .refine(isWellFormed, { error: 'must be well-formed Unicode', abort: true })
    .refine((text) => fits(text, max), { error: message, abort: true });
}
