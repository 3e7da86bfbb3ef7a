import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { houseRuleViolations } from './house-rules.mjs';
import { readImportGraph } from './import-graph.mjs';
import { roomOf, rooms, wallViolations } from './import-walls.mjs';
import { wideLineViolations } from './wide-lines.mjs';

const folders = ['app', 'components', 'server', 'db', 'client', 'scripts/demo'];

/** Import walls, circular imports and house rules over the whole source: `{ ok, output }`. */
export function checkArchitecture(root) {
  const graph = readImportGraph(root, folders);
  const complaints = [
    ...emptyRooms(graph),
    ...wallViolations(graph),
    ...importCycles(graph).map((cycle) => `circular import: ${cycle.join(' → ')}`),
    ...houseRuleViolations(graph),
    ...folderViolations(sourcePaths(root)),
    ...wideLineViolations(root),
  ];
  return {
    ok: complaints.length === 0,
    output: [
      ...complaints,
      `${graph.size} files, ${countImports(graph)} imports between them`,
    ].join('\n'),
  };
}

/** Rooms without files, whose walls would always pass. */
function emptyRooms(graph) {
  const found = new Set([...graph.keys()].map((path) => roomOf(path)?.name));
  return rooms
    .filter(({ name }) => !found.has(name))
    .map(
      ({ name }) =>
        `no file belongs to "${name}": are the patterns in import-walls.mjs still right?`,
    );
}

const countImports = (graph) =>
  [...graph.values()].flatMap(({ imports }) => imports).filter(({ target }) => graph.has(target))
    .length;

const filesAtMost = 15;
const checkedFolders = ['app', 'components', 'server', 'db', 'client', 'scripts'];
const ignoredFolders = /^(dist|node_modules|migrations|\..*)$/;
const isSource = (path) => /\.(tsx?|mjs|css)$/.test(path) && !/\.(test|spec|d)\.tsx?$/.test(path);
const isRig = (path) => /\/(testing|conformance)\//.test(path);

/** Every source file in the folders to which the rules apply, without tests and their support. */
function sourcePaths(root) {
  const under = (folder) =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return ignoredFolders.test(entry.name) ? [] : under(path);
      return isSource(path) && !isRig(path) ? [path] : [];
    });
  return checkedFolders.flatMap(under);
}

/** One line for each folder with too many files, and for each server file outside all rooms. */
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

/**
 * Cycles of imports at run time, each as a list of paths that begins and ends with the same file.
 */
export function importCycles(graph) {
  const cycles = [];
  const state = new Map();
  const trail = [];

  const visit = (path) => {
    state.set(path, 'open');
    trail.push(path);
    for (const { target, typeOnly } of graph.get(path).imports) {
      if (typeOnly || !graph.has(target)) continue;
      if (state.get(target) === 'open')
        cycles.push([...trail.slice(trail.indexOf(target)), target]);
      else if (!state.has(target)) visit(target);
    }
    trail.pop();
    state.set(path, 'done');
  };

  for (const path of graph.keys()) if (!state.has(path)) visit(path);
  return cycles;
}
