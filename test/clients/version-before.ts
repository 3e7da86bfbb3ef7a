import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** The last commit of the previous version: set it when a version is released. */
const COMMIT = 'ff1a3114e63de4f49a608f57ac1a40f29e92b216';

/** Writes the sources of the previous version to a folder; needs the history of the repository. */
export async function checkOutVersionBefore(folder: string): Promise<void> {
  const archive = join(folder, '..', 'version-before.tar');
  await run('git', ['archive', '--output', archive, COMMIT], { cwd: root });
  await run('tar', ['-xf', archive, '-C', folder]);
}
