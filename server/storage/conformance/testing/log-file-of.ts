import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The file to which a Redis in this folder appends what it writes. */
export function logFileOf(folder: string): string {
  const files = readdirSync(join(folder, 'appendonlydir'));
  const [newest = ''] = files
    .filter((name) => name.includes('.incr.'))
    .sort()
    .slice(-1);
  return join(folder, 'appendonlydir', newest);
}
