import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { renameToNew } from './rename-to-new';

/**
 * Writes a file that only its owner may read. It exists whole or not at all, except for the moment
 * described at `renameToNew`.
 *
 * Rejects with `EEXIST` if there is such a file, which is left unchanged.
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
