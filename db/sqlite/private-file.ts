import { chmodSync, closeSync, openSync, statSync } from 'node:fs';

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** Makes a file for its owner alone, empty if there is none. Never throws: opening the file will say what is wrong. */
export function makePrivate(path: string): void {
  try {
    // One that is there is never opened: closing it again would end the locks which this process has on it.
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch {
    keepPrivate(path);
  }
}

/** Lets only its owner read and write a file, if it exists and is ours to change. Never throws. */
export function keepPrivate(path: string): void {
  try {
    if ((statSync(path).mode & OTHERS) !== 0) chmodSync(path, OWNER_ONLY);
  } catch {
    // None there, or another user's: then it is not for us to say who may read it.
  }
}
