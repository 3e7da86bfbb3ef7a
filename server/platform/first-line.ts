import { errorCode } from './files/error-code';

/**
 * The first line of an error's message, or else its code, or of what was thrown in place of an
 * error. A connection that is refused at several addresses has a code only.
 */
export function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message || errorCode(error) : String(error);
  return text.split('\n', 1)[0] ?? '';
}
