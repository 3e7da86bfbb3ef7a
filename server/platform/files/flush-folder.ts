import { open } from 'node:fs/promises';
import { errorCode } from './error-code';

/** Errors for a folder that cannot be flushed, or can only be searched. */
const NOT_FLUSHED = ['EACCES', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM'];

/**
 * Makes the names in a folder permanent: a file that was flushed may still lose a new name in a
 * power failure. Does nothing where the file system cannot flush folders.
 */
export async function flushFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!NOT_FLUSHED.includes(errorCode(error))) throw error;
  }
}
