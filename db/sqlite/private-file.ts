import { chmodSync, closeSync, openSync, statSync } from 'node:fs';

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** Creates an empty file for its owner only, if it is missing. Never throws: opening it will. */
export function createPrivateFile(path: string): void {
  try {
    // An existing file is never opened: closing it would release this process's locks on it.
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch {
    restrictToOwner(path);
  }
}

/** Restricts a file to its owner, if it exists and is ours to change. Never throws. */
export function restrictToOwner(path: string): void {
  try {
    if ((statSync(path).mode & OTHERS) !== 0) chmodSync(path, OWNER_ONLY);
  } catch {
    // It does not exist, or belongs to another user, who decides who may read it.
  }
}
