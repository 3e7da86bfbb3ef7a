import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Whether a file never affects a build, so that changing it makes nothing stale. `dist` is the
 * client's own build, `client/dist`.
 */
const isIrrelevant = (name) =>
  name.startsWith('.') || name === 'dist' || /\.test\.[cm]?tsx?$/.test(name);

/**
 * SHA-256 over the names and contents of everything under `paths` (files or folders inside `root`;
 * one that does not exist counts as absent), and over `extras`. Tests and build results do not
 * count.
 */
export function sourceHash(root, paths, extras = []) {
  const hash = createHash('sha256');
  for (const path of paths.flatMap((path) => filesUnder(root, path)).sort()) {
    const content = readFileSync(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  for (const extra of extras) hash.update(`\0${extra}`);
  return hash.digest('hex');
}

function filesUnder(root, path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (!found) return [];
  if (!found.isDirectory()) return [path];
  return readdirSync(join(root, path))
    .filter((name) => !isIrrelevant(name))
    .flatMap((name) => filesUnder(root, `${path}/${name}`));
}
