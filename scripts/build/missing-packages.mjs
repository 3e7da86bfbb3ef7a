import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Compares the lock file with npm's own record of what it installed, and the record with the
 * folders. A package of another platform may be absent; one that is there must have the locked
 * version. `devInstalled` says whether any development package is there.
 */
export function missingPackages(root, { withDev }) {
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (!installed) return { nothingInstalled: true, devInstalled: false, missing: ['everything'] };
  const devInstalled = Object.values(installed).some((entry) => entry.dev);
  const locked = readPackages(join(root, 'package-lock.json')) ?? {};
  const missing = Object.entries(locked)
    .filter(([path, wanted]) => path.startsWith('node_modules/') && !wanted.link)
    .filter(([path, wanted]) => {
      const found = installed[path];
      if (found) {
        return found.version !== wanted.version || !existsSync(join(root, path, 'package.json'));
      }
      return !wanted.optional && !wanted.devOptional && (withDev || devInstalled || !wanted.dev);
    })
    .map(([path]) => path.slice('node_modules/'.length));
  return { nothingInstalled: false, devInstalled, missing };
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages ?? null;
  } catch {
    return null;
  }
}
