import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs';
import { errorCode } from '../../server/platform/files/error-code';

const HEADER = 'SQLite format 3\0';

/**
 * Why a path cannot be a SQLite file of ours, before anything is created or changed there; null if
 * it can, or if opening it will report why not.
 *
 * @param lock the path of the file that is created beside a database when it is first opened
 */
export function foreignFile(path: string, lock: string): string | null {
  try {
    const found = statSync(path);
    if (found.isDirectory()) return 'it is a folder';
    if (!found.isFile()) return 'it is not a regular file';
    // A file that this process may have open is not read: closing it would release its locks on it.
    if (found.size === 0 || existsSync(lock)) return null;
    return beginningOf(path) === HEADER ? null : 'it is not a SQLite database';
  } catch {
    return null;
  }
}

/** What is wrong with the folder of a file that could not be opened; null: nothing was found. */
export function unusableFolder(folder: string): string | null {
  try {
    if (!statSync(folder).isDirectory()) return `${folder} is not a folder`;
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return `there is no folder ${folder}`;
    if (code === 'EROFS') return `${folder} is on a read-only file system`;
    return code === 'EACCES' ? `this user may not write in ${folder}` : null;
  }
}

function beginningOf(path: string): string {
  const descriptor = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(HEADER.length);
    return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(descriptor);
  }
}
