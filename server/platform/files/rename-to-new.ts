import { link, open, rename } from 'node:fs/promises';
import { errorCode } from './error-code';

/** The errors of file systems without hard links, such as those of Windows or of clouds. */
const HAS_NO_LINKS = ['EPERM', 'ENOTSUP', 'ENOSYS'];

/**
 * Gives a file another name, which no file may have yet. Without hard links, an empty file of that
 * name exists for a moment. The old name may remain: the caller removes it.
 *
 * Rejects with `EEXIST` if the name has been taken in the meantime; a plain rename would replace
 * that file.
 */
export async function renameToNew(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!HAS_NO_LINKS.includes(errorCode(error))) throw error;
    const reserved = await open(to, 'wx', 0o600);
    await reserved.close();
    await rename(from, to);
  }
}
