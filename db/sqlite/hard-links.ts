import { statSync } from 'node:fs';
import { StartError } from '../../server/platform/start-error';

/**
 * Each name of a file has its own write-ahead log and claim. Two servers on two names would
 * overwrite each other's writes and miss each other's commits.
 */
export function refuseHardLink(path: string): void {
  const links = linksTo(path);
  if (links <= 1) return;
  throw new StartError(
    `The SQLite file ${path} has ${links} names (hard links). Remove all but one: another ` +
      'server could open it by another name.',
  );
}

/** How many names a file has; 0 for any other path: opening it will report why. */
function linksTo(path: string): number {
  try {
    const found = statSync(path);
    return found.isFile() ? found.nlink : 0;
  } catch {
    return 0;
  }
}
