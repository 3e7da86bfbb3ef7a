import {
  existsSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { projectRoot } from '../project-root.mjs';
import { builtPrograms } from './build-app.mjs';

const packages = join(projectRoot, 'node_modules');
const built = join(projectRoot, '.next');
const stamp = join(built, 'lockyard/slim.stamp');

/** Modules that Next resolves when it reads its configuration, without a traceable import. */
const ALSO_KEPT = join(packages, 'next/dist/compiled/webpack/');

/** Files that a build writes but no program reads. */
const LEFTOVERS = ['cache', 'diagnostics', 'trace', 'trace-build', 'types'];

/**
 * Whether the installed packages are those of a slim build. They suffice only to run what is built:
 * the next build installs all packages again.
 */
export const isSlim = () => existsSync(stamp);

/**
 * Removes every file of `node_modules` that no built program imports, and files that only the build
 * uses.
 */
export async function slimDown(say) {
  if (isSlim()) return;
  const kept = await filesInUse();
  const removedBytes = removeOthers(packages, kept);
  for (const name of LEFTOVERS) rmSync(join(built, name), { recursive: true, force: true });
  writeFileSync(stamp, '');
  say(`Removed ${Math.round(removedBytes / 2 ** 20)} MiB that only a build needs.`);
}

async function filesInUse() {
  const { nodeFileTrace } = await import('@vercel/nft');
  const { fileList } = await nodeFileTrace(builtPrograms(), {
    base: projectRoot,
    processCwd: projectRoot,
  });
  const files = new Set([...fileList].map((file) => join(projectRoot, file)));
  // Next traces its own server and each page.
  for (const list of tracesIn(built)) {
    for (const file of JSON.parse(readFileSync(list, 'utf8')).files) {
      files.add(resolve(dirname(list), file));
    }
  }
  // Package manifests and licence texts stay.
  return (path) =>
    files.has(path) ||
    path.startsWith(ALSO_KEPT) ||
    /\/(package\.json|licen[cs]e[^/]*|notice[^/]*)$/i.test(path);
}

function tracesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.nft.json') && !name.startsWith('cache'))
    .map((name) => join(folder, name));
}

/** Returns how many bytes were removed. Also removes folders that become empty. */
function removeOthers(folder, isKept) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      bytes += removeOthers(path, isKept);
      if (readdirSync(path).length === 0) rmdirSync(path);
    } else if (!isKept(path) || relative(packages, path) === '.package-lock.json') {
      bytes += entry.isFile() ? statSync(path).size : 0;
      rmSync(path);
    }
  }
  return bytes;
}
