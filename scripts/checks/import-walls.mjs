import { testFiles } from './test-support.mjs';

/** The contract and the rules: pure, so that they run in a browser too. */
const RULES = ['contract', 'core'];

/** The rooms that every room of the server may import. */
const GROUND = [...RULES, 'urls', 'platform'];

/**
 * The allowed imports at run time: each room, the files in it, and the rooms that it may import
 * besides itself. A file belongs to the first room whose pattern it matches.
 */
export const rooms = [
  // Runs in the page process: it may import the server's wire format, but no code that stores or
  // executes anything.
  {
    name: 'app',
    files: /^app\//,
    mayImport: ['components', 'page-wire', ...RULES],
    mayImportTypesOf: ['rpc'],
  },
  {
    name: 'components',
    files: /^components\//,
    mayImport: ['durations', ...RULES],
    mayImportTypesOf: ['rpc'],
  },
  {
    name: 'page-wire',
    files: /^server\/api\/pages\/process\/page-process-protocol\.ts$/,
    mayImport: [],
  },
  {
    name: 'page-process',
    files: /^server\/api\/pages\/process\/page-process\.ts$/,
    mayImport: ['page-wire', 'platform'],
    mayImportTypesOf: [],
  },
  {
    name: 'contract',
    files: /^server\/contract\//,
    mayImport: [],
    mayImportTypesOf: ['core'],
  },
  {
    name: 'core',
    files: /^server\/core\//,
    mayImport: ['contract'],
    mayImportTypesOf: [],
  },
  // Clock, log, random texts and start failures: what all server code depends on.
  {
    name: 'platform',
    files: /^server\/platform\/|^package\.json$/,
    mayImport: [],
    mayImportTypesOf: [],
  },
  { name: 'urls', files: /^db\/urls\//, mayImport: ['platform'] },
  { name: 'db', files: /^db\//, mayImport: ['urls', 'contract', 'platform'] },
  { name: 'strategies', files: /^server\/strategies\//, mayImport: ['urls', 'platform'] },
  // Races strategies and the engine in a separate process.
  {
    name: 'lab',
    files: /^server\/lab\//,
    mayImport: ['strategies', 'engine', 'storage', 'db', ...GROUND],
  },
  { name: 'storage', files: /^server\/storage\//, mayImport: ['db', ...GROUND] },
  { name: 'engine', files: /^server\/engine\//, mayImport: ['storage', ...GROUND] },
  { name: 'auth', files: /^server\/auth\//, mayImport: ['db', ...GROUND] },
  {
    name: 'monitoring',
    files: /^server\/monitoring\//,
    mayImport: ['engine', 'storage', 'db', ...GROUND],
  },
  {
    name: 'backup',
    files: /^server\/backup\//,
    mayImport: ['engine', 'storage', 'auth', 'db', ...GROUND],
  },
  {
    name: 'operations',
    files: /^server\/operations\//,
    mayImport: ['engine', 'monitoring', 'lab', 'auth', 'db', ...GROUND],
  },
  { name: 'rpc', files: /^server\/api\/rpc\//, mayImport: ['operations', 'auth', ...GROUND] },
  {
    name: 'http',
    files: /^server\/api\/http\//,
    mayImport: ['rpc', 'operations', 'auth', ...GROUND],
  },
  {
    name: 'pages',
    files: /^server\/api\/pages\//,
    mayImport: ['page-wire', 'http', 'operations', 'auth', ...GROUND],
  },
  {
    name: 'bootstrap',
    files: /^server\/bootstrap\//,
    mayImport: [
      'http',
      'operations',
      'monitoring',
      'engine',
      'storage',
      'strategies',
      'lab',
      'auth',
      'db',
      'demo',
      ...GROUND,
    ],
  },
  {
    name: 'cli',
    files: /^server\/cli\//,
    mayImport: [
      'bootstrap',
      'backup',
      'operations',
      'storage',
      'auth',
      'db',
      'client',
      'durations',
      ...GROUND,
    ],
  },
  {
    name: 'main',
    files: /^server\/main\.ts$/,
    mayImport: ['bootstrap', 'cli', 'pages', 'http', 'platform'],
  },
  { name: 'demo', files: /^scripts\/demo\//, mayImport: ['client', 'platform'] },
  // How a duration is written, on the command line and in the console.
  { name: 'durations', files: /^client\/command\/terminal\/duration(\.ts)?$/, mayImport: [] },
  { name: 'client', files: /^client\//, mayImport: ['durations'] },
];

const browserSafe = new Set(['components', 'durations', ...RULES]);

export const roomOf = (path) => rooms.find((room) => room.files.test(path)) ?? null;

/** One line for each import that is not allowed. `graph` is the result of `readImportGraph`. */
export function wallViolations(graph) {
  const tests = testFiles(graph);
  return [...graph].flatMap(([path, { imports }]) => {
    const room = roomOf(path);
    if (!room || tests.has(path)) return [];
    return imports
      .filter((found) => !isAllowed(room, found))
      .map((found) => complaint(path, room, found));
  });
}

function isAllowed(room, { specifier, target, typeOnly }) {
  if (target === null) return !(browserSafe.has(room.name) && specifier.startsWith('node:'));
  const to = roomOf(target)?.name;
  if (to === room.name || room.mayImport.includes(to)) return true;
  // Types vanish when compiled, so only rooms with `mayImportTypesOf` limit them.
  return typeOnly && to !== undefined && (room.mayImportTypesOf?.includes(to) ?? true);
}

function complaint(path, room, { specifier, target }) {
  const to = target === null ? specifier : (roomOf(target)?.name ?? target);
  const doors = [room.name, ...room.mayImport].join(', ');
  return `${path} imports ${specifier}: ${room.name} may not reach ${to} (only ${doors})`;
}
