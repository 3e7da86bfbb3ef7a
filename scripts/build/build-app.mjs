import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PlainFailure, writeReason } from '../process/plain-failure.mjs';
import { runChild } from '../process/run-child.mjs';
import { projectRoot } from '../project-root.mjs';
import { bundle } from './bundle.mjs';
import { sourceHash } from './source-hash.mjs';

const settings = [
  'package-lock.json',
  'package.json',
  'tsconfig.json',
  'scripts/build/build-app.mjs',
];
const shownSources = ['server/strategies', 'server/lab/entries'];
const runsOn = [`modules ${process.versions.modules}`, process.platform, process.arch];

/** The programs of the Lab's races: the process that runs one, and its pausing thread. */
export const labEntries = {
  'lab-process': 'server/lab/lab-process.ts',
  'paused-thread': 'server/lab/race/paused-thread.ts',
};

/**
 * What is built from which sources; `stamp` is a file with the hash of the sources of the last
 * build.
 */
const app = {
  stamp: '.next/lockyard/app.stamp',
  sources: [
    'app',
    'components',
    'server',
    'db',
    'client',
    'public',
    'scripts/demo',
    ...settings,
    'next.config.js',
    'postcss.config.mjs',
  ],
  entries: {
    main: 'server/main.ts',
    'page-process': 'server/api/pages/process/page-process.ts',
    cli: 'server/cli/cli.ts',
    command: 'client/command/lockyard-command.ts',
    fleet: 'scripts/demo/fleet.ts',
    ...labEntries,
  },
};
const commandLine = {
  stamp: '.next/lockyard/cli.stamp',
  sources: ['server', 'db', 'client', ...settings],
  entries: { cli: 'server/cli/cli.ts', command: 'client/command/lockyard-command.ts' },
};

export const serverBundle = join(projectRoot, '.next/lockyard/main.mjs');
export const commandLineBundle = join(projectRoot, '.next/lockyard/cli.mjs');
export const clientCommandBundle = join(projectRoot, '.next/lockyard/command.mjs');

/** Every program that a start needs. */
export const builtPrograms = () =>
  Object.keys(app.entries).map((name) => join(projectRoot, `.next/lockyard/${name}.mjs`));

export const appIsStale = () => isStale(app) || !existsSync(join(projectRoot, '.next/BUILD_ID'));
export const commandLineIsStale = () => isStale(commandLine);

/** Builds pages, server, command line and demo fleet into `.next`. */
export async function buildApp(say) {
  const startedAt = performance.now();
  say('Building Lockyard (only after changes; 20 s to 90 s, by machine) …');
  const hash = hashOf(app);
  rmSync(join(projectRoot, app.stamp), { force: true });
  rmSync(join(projectRoot, '.next/lockyard/slim.stamp'), { force: true });
  const next = join(projectRoot, 'node_modules/next/dist/bin/next');
  const { code, output } = await runChild(process.execPath, [next, 'build'], {
    cwd: projectRoot,
    env: {
      ...process.env,
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      SKIP_TYPECHECK: '1',
    },
  });
  if (code !== 0) throw new PlainFailure(buildFailure(output));
  await bundle(app.entries, '.next/lockyard');
  copyShownSources();
  writeStamp(commandLine, hashOf(commandLine));
  writeStamp(app, hash);
  say(`Built Lockyard (${Math.round((performance.now() - startedAt) / 1000)} s).`);
}

function buildFailure(output) {
  const [code] = /\b(ENOSPC|EDQUOT|EACCES|EROFS)\b/.exec(output) ?? [];
  const why = writeReason({ code });
  return why
    ? `The pages cannot be built in ${projectRoot}: ${why}.`
    : `${output.trim()}\nBuilding the pages failed; see above.`;
}

/**
 * Copies the strategies' sources that the Lab shows: as they were built, whatever is edited later.
 */
function copyShownSources() {
  const target = join(projectRoot, '.next/lockyard/sources');
  rmSync(target, { recursive: true, force: true });
  const filter = (path) => !/\.test\.ts$/.test(path);
  for (const folder of shownSources) {
    cpSync(join(projectRoot, folder), join(target, folder), { recursive: true, filter });
  }
}

/** Builds the command line alone, in well under a second. */
export async function buildCommandLine() {
  const hash = hashOf(commandLine);
  await bundle(commandLine.entries, '.next/lockyard');
  writeStamp(commandLine, hash);
}

const hashOf = ({ sources }) => sourceHash(projectRoot, sources, runsOn);

function isStale(part) {
  const stamp = join(projectRoot, part.stamp);
  const outputs = Object.keys(part.entries).map((name) =>
    join(projectRoot, `.next/lockyard/${name}.mjs`),
  );
  if (![stamp, ...outputs].every((path) => existsSync(path))) return true;
  return readFileSync(stamp, 'utf8') !== hashOf(part);
}

function writeStamp(part, hash) {
  mkdirSync(join(projectRoot, '.next/lockyard'), { recursive: true });
  writeFileSync(join(projectRoot, part.stamp), hash);
}
