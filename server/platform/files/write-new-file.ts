import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { renameToNew } from './rename-to-new';

/**
 * Writes a file that only its owner may read. It is there whole or not at all, but for the moment
 * that `renameToNew` names.
 *
 * Rejects with `EEXIST` if there is such a file; then that one stays as it is.
 */
export async function writeNewFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    await renameToNew(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
