import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '@/server/platform/files/error-code';
import { StartError } from '@/server/platform/start-error';

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Creates the data folder if it is missing, accessible only to its owner. Throws `StartError` when
 * it cannot be written, or when others can write to it: they could replace the database or the
 * secret.
 */
export function prepareDataFolder(path: string): void {
  try {
    makeFolder(path);
    if (!statSync(path).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    refuseOpenFolder(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    const why = REASONS[errorCode(cause)] ?? 'it cannot be written';
    throw new StartError(
      `The data folder ${path} cannot be used: ${why}. Choose another with LOCKYARD_DATA_DIR.`,
      { cause },
    );
  }
}

function refuseOpenFolder(path: string): void {
  const { mode } = statSync(path);
  if ((mode & WRITABLE_BY_OTHERS) === 0) return;
  const octal = (mode & 0o7777).toString(8).padStart(4, '0');
  throw new StartError(
    `Other users can write to the data folder ${path} (mode ${octal}). Run chmod go-w on it, ` +
      'or name a folder inside it with LOCKYARD_DATA_DIR.',
  );
}

/** One folder at a time: Node's own recursion may never end if a parent is reported missing. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process that starts at the same time was faster.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

const REASONS: Record<string, string> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it is on a read-only file system',
  ENOTDIR: 'a file is in the way',
  EEXIST: 'a file is in the way',
  ENOENT: 'it cannot be created there',
  ENOSPC: 'the disk is full',
};
