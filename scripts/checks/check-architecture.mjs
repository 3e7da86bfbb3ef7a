import { folderViolations, sourcePaths } from './folder-rules.mjs';
import { houseRuleViolations } from './house-rules.mjs';
import { importCircles } from './import-circles.mjs';
import { readImportGraph } from './import-graph.mjs';
import { roomOf, rooms, wallViolations } from './import-walls.mjs';

const folders = ['app', 'components', 'server', 'db', 'client', 'scripts/demo'];

/** Import walls, circular imports and house rules over the whole source: `{ ok, output }`. */
export function checkArchitecture(root) {
  const graph = readImportGraph(root, folders);
  const complaints = [
    ...emptyRooms(graph),
    ...wallViolations(graph),
    ...importCircles(graph).map((circle) => `circular import: ${circle.join(' → ')}`),
    ...houseRuleViolations(graph),
    ...folderViolations(sourcePaths(root)),
  ];
  return {
    ok: complaints.length === 0,
    output: [
      ...complaints,
      `${graph.size} files, ${countImports(graph)} imports between them`,
    ].join('\n'),
  };
}

/** A wall around nothing would always hold. */
function emptyRooms(graph) {
  const found = new Set([...graph.keys()].map((path) => roomOf(path)?.name));
  return rooms
    .filter(({ name }) => name !== 'strategies' && !found.has(name))
    .map(
      ({ name }) =>
        `no file belongs to "${name}": are the patterns in import-walls.mjs still right?`,
    );
}

const countImports = (graph) =>
  [...graph.values()].flatMap(({ imports }) => imports).filter(({ target }) => graph.has(target))
    .length;
