import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PlainFailure } from '../process/plain-failure.mjs';
import { runChild } from '../process/run-child.mjs';
import { projectRoot } from '../project-root.mjs';

const unreachable =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED/;

/** Whether `ensureDependencies` would have something to do. */
export function dependenciesAreMissing({ withDev }) {
  const { missing, devInstalled } = missingPackages(projectRoot, { withDev });
  return missing.length > 0 || (withDev && !devInstalled);
}

/**
 * Installs packages of the lock file that `node_modules` lacks; development packages only with
 * `withDev`, but installed ones stay. Fails with one line if the registry cannot be reached.
 */
export async function ensureDependencies({ withDev, say }) {
  if (!dependenciesAreMissing({ withDev })) return;
  const { nothingInstalled, devInstalled } = missingPackages(projectRoot, { withDev });
  const startedAt = performance.now();
  say(installNotice({ nothingInstalled, isFirstDev: withDev && !devInstalled }));
  // `npm ci` is exact, but empties node_modules first: without a network, working packages would be
  // lost.
  const verb = nothingInstalled ? ['ci'] : ['install', '--no-save'];
  const scope = withDev || devInstalled ? '--include=dev' : '--omit=dev';
  const { code, output } = await npm([
    ...verb,
    scope,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    '--loglevel=error',
    '--fetch-retries=3',
    '--fetch-retry-mintimeout=500',
    '--fetch-retry-maxtimeout=4000',
  ]);
  if (code !== 0) throw new PlainFailure(installFailure(output));
  say(`Installed packages (${Math.round((performance.now() - startedAt) / 1000)} s).`);
}

function installNotice({ nothingInstalled, isFirstDev }) {
  if (nothingInstalled)
    return 'Installing packages (the first time this takes about half a minute) …';
  return isFirstDev ? 'Installing development packages …' : 'Installing packages that changed …';
}

function npm(args) {
  const cli = process.env.npm_execpath;
  const options = { cwd: projectRoot };
  if (cli && basename(cli) === 'npm-cli.js' && existsSync(cli)) {
    return runChild(process.execPath, [cli, ...args], options);
  }
  return process.platform === 'win32'
    ? runChild('cmd.exe', ['/d', '/s', '/c', 'npm', ...args], options)
    : runChild('npm', args, options);
}

function installFailure(output) {
  const errorLines = output
    .split('\n')
    .map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim())
    .filter(
      (line) => line !== '' && !/^(code|errno|syscall|A complete log|type|network)\b/.test(line),
    );
  if (unreachable.test(output)) {
    const code = unreachable.exec(output)?.[0];
    return (
      "Lockyard's packages are not installed, and the package registry cannot be reached " +
      `(${code}): connect this machine and start again.`
    );
  }
  const why = errorLines[0] ?? 'npm ended without a word';
  return `Lockyard's packages could not be installed: ${why}`;
}

/**
 * Compares the lock file with npm's own record of what it installed, and the record with the
 * folders. A package for another platform may be absent; an installed one must have the locked
 * version. `devInstalled` says whether any development package is installed.
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
