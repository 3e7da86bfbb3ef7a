import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { roomOf } from './import-walls.mjs';

const filesAtMost = 15;
const guarded = ['app', 'components', 'server', 'db', 'client', 'scripts'];
const passedOver = /^(dist|node_modules|migrations|\..*)$/;
const isSource = (path) => /\.(tsx?|mjs|css)$/.test(path) && !/\.(test|spec|d)\.tsx?$/.test(path);
const isRig = (path) => /\/(testing|conformance)\//.test(path);

/** Every source file under the folders that the rules are for, without tests and their rigs. */
export function sourcePaths(root) {
  const under = (folder) =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return passedOver.test(entry.name) ? [] : under(path);
      return isSource(path) && !isRig(path) ? [path] : [];
    });
  return guarded.flatMap(under);
}

/** One line for each folder that holds too much, and for each server file behind no wall. */
export function folderViolations(paths) {
  const inFolder = new Map();
  for (const path of paths) inFolder.set(dirname(path), (inFolder.get(dirname(path)) ?? 0) + 1);
  const tooFull = [...inFolder]
    .filter(([, count]) => count > filesAtMost)
    .map(([folder, count]) => `${folder}: ${count} source files, at most ${filesAtMost}`);
  const outside = paths
    .filter((path) => path.startsWith('server/') && !roomOf(path))
    .map((path) => `${path}: no wall of import-walls.mjs is around it; only main.ts lies loose`);
  return [...tooFull, ...outside];
}
