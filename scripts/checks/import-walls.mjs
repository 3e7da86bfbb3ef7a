import { testFiles } from './test-support.mjs';

/**
 * Who may import whom at run time: each room, the files that it is made of, and the rooms that it
 * may import. Every room may import itself and server/core. The first pattern that fits a file
 * names its room.
 */
export const rooms = [
  // Clock, log, configuration, random texts and start failures: what all server code depends on.
  {
    name: 'ground',
    files:
      /^(server\/(clock|config|config-error|limits|log|nearest-name|network-list|random-text-pool|read-regular-file|secret-files|tls-authorities)|db\/(backend-url|zookeeper-url|shard-list|start-error|server-tls))\.ts$|^server\/open-files-limit\.mjs$|^package\.json$/,
    mayImport: [],
  },
  // Runs in the page process: it may import the server's wire format, but nothing that stores or
  // executes anything.
  {
    name: 'app',
    files: /^app\//,
    mayImport: ['components', 'page-wire'],
    mayImportTypesOf: ['trpc'],
  },
  { name: 'page-wire', files: /^server\/pages\/page-process-terms\.ts$/, mayImport: [] },
  {
    name: 'page-process',
    files: /^server\/pages\/page-process\.ts$/,
    mayImport: ['page-wire', 'ground'],
    mayImportTypesOf: [],
  },
  { name: 'components', files: /^components\//, mayImport: [], mayImportTypesOf: ['trpc'] },
  { name: 'domain', files: /^server\/domain\//, mayImport: [], mayImportTypesOf: [] },
  { name: 'strategies', files: /^server\/strategies\//, mayImport: ['ground'] },
  { name: 'backends', files: /^server\/backends\//, mayImport: ['db', 'ground'] },
  { name: 'engine', files: /^server\/engine\//, mayImport: ['backends', 'ground'] },
  {
    name: 'observe',
    files: /^server\/observe\//,
    mayImport: ['engine', 'backends', 'db', 'ground'],
  },
  {
    name: 'backup',
    files: /^server\/backup\//,
    mayImport: ['engine', 'backends', 'auth', 'db', 'ground'],
  },
  { name: 'auth', files: /^server\/auth\//, mayImport: ['db', 'ground'] },
  {
    name: 'operations',
    files: /^server\/operations\//,
    mayImport: ['engine', 'observe', 'auth', 'db', 'ground'],
  },
  { name: 'trpc', files: /^server\/trpc\//, mayImport: ['operations', 'auth', 'ground'] },
  { name: 'http', files: /^server\/http\//, mayImport: ['trpc', 'operations', 'auth', 'ground'] },
  {
    name: 'pages',
    files: /^server\/pages\//,
    mayImport: ['page-wire', 'http', 'operations', 'auth', 'ground'],
  },
  {
    name: 'roots',
    files: /^server\/[^/]+\.ts$/,
    mayImport: [
      'pages',
      'http',
      'trpc',
      'operations',
      'auth',
      'observe',
      'engine',
      'backends',
      'db',
      'backup',
      'client',
      'demo',
      'ground',
    ],
  },
  { name: 'db', files: /^db\//, mayImport: ['ground'] },
  { name: 'demo', files: /^scripts\/demo\//, mayImport: ['client', 'ground'] },
  { name: 'client', files: /^client\//, mayImport: [] },
];

const browserSafe = new Set(['components', 'domain']);

export const roomOf = (path) => rooms.find((room) => room.files.test(path)) ?? null;

/** One line for each import that goes through a wall. `graph` as made by `readImportGraph`. */
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
  if (to === room.name || to === 'domain' || room.mayImport.includes(to)) return true;
  // Types vanish when compiled. Only rooms that must not even know of others say which they may.
  return typeOnly && to !== undefined && (room.mayImportTypesOf?.includes(to) ?? true);
}

function complaint(path, room, { specifier, target }) {
  const to = target === null ? specifier : (roomOf(target)?.name ?? target);
  const doors = [room.name, 'domain', ...room.mayImport].join(', ');
  return `${path} imports ${specifier}: ${room.name} may not reach ${to} (only ${doors})`;
}
