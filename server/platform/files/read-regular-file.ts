import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** In place of a code of the system: for a pipe, a device, a socket or a folder. */
const NOT_REGULAR = 'not a regular file';

/**
 * The text of a file. Never blocks: anything that could, such as a named pipe that nothing writes
 * to, is refused unread.
 *
 * @throws Error whose `code` says why the file cannot be read
 */
export function readRegularFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (fstatSync(file).isFile()) return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
  throw Object.assign(new Error(`${path} is ${NOT_REGULAR}.`), { code: NOT_REGULAR });
}
