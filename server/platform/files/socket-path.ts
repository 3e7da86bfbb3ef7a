import { join, relative } from 'node:path';
import { StartError } from '../start-error';

/** The limit of macOS; Linux allows a few more bytes. */
const PATH_MAX_BYTES = 103;

/** The path of a socket in a folder: the shorter of its absolute and its relative path. */
export function socketPath(folder: string, name: string): string {
  const absolute = join(folder, name);
  const near = relative(process.cwd(), absolute);
  return near.length < absolute.length ? near : absolute;
}

/**
 * Like `socketPath`, for a socket that is to be opened.
 *
 * @param folder the data folder, for the message
 * @throws StartError if the system allows no socket path of that length
 */
export function newSocketPath(folder: string, name: string): string {
  const path = socketPath(folder, name);
  if (Buffer.byteLength(path) <= PATH_MAX_BYTES) return path;
  throw new StartError(
    `The data folder's path is too long for a socket; it may have ` +
      `${PATH_MAX_BYTES - name.length - 1} bytes: ${folder}`,
  );
}
