import { readFileSync } from 'node:fs';
import { LockyardError } from './errors';

/**
 * The API key of the environment: `LOCKYARD_API_KEY`, or the content of the file that
 * `LOCKYARD_API_KEY_FILE` names, as containers pass secrets. Undefined if neither is set.
 *
 * @throws LockyardError `INVALID` if both are set, or the file is empty or cannot be read
 */
export function environmentKey(): string | undefined {
  const { LOCKYARD_API_KEY: key, LOCKYARD_API_KEY_FILE: file } = process.env;
  if (!file) return key;
  if (key) throw invalid('LOCKYARD_API_KEY and LOCKYARD_API_KEY_FILE are both set: set one.');
  const content = contentOf(file).replace(/[\r\n]+$/, '');
  if (content === '') throw invalid(`The file of LOCKYARD_API_KEY_FILE is empty: ${file}`);
  return content;
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw invalid(`The file of LOCKYARD_API_KEY_FILE cannot be read (${code}): ${file}`);
  }
}

const invalid = (message: string) => new LockyardError('INVALID', message);
