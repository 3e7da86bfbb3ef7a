import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { projectRoot } from '../project-root.mjs';
import { missingPackages } from './ensure-dependencies.mjs';

type Packages = Record<string, { version: string; dev?: boolean; optional?: boolean }>;

let root: string;
const lock = (packages: Packages) =>
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
const install = (packages: Packages) => {
  writeFileSync(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
  for (const path of Object.keys(packages)) {
    mkdirSync(join(root, path), { recursive: true });
    writeFileSync(join(root, path, 'package.json'), '{}');
  }
};
const missing = (withDev: boolean) => missingPackages(root, { withDev }).missing;

const next = { 'node_modules/next': { version: '16.4.5' } };
const vitest = { 'node_modules/vitest': { version: '4.1.12', dev: true } };
const swc = { 'node_modules/@next/swc-other': { version: '16.4.5', optional: true } };

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lockyard-packages-'));
  mkdirSync(join(root, 'node_modules'));
  lock({ '': { version: '0.1.0' }, ...next, ...vitest, ...swc });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('everything is missing if nothing was installed', () => {
  expect(missingPackages(root, { withDev: false }).nothingInstalled).toBe(true);
  expect(missing(false)).not.toEqual([]);
});

test('a client that is packed in a fresh clone has its packages installed first', () => {
  cpSync(join(projectRoot, 'scripts'), join(root, 'scripts'), { recursive: true });
  const npm = join(root, 'npm-cli.js');
  writeFileSync(npm, `console.error('npm error asked to ' + process.argv[2]); process.exit(1)`);
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/build-client.mjs')], {
    env: { NODE_ENV: 'test', PATH: process.env.PATH, npm_execpath: npm },
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Installing packages [^\n]*\n[^\n]* not be installed: asked to ci\n$/);
});

test('a start needs no development package, and packages of other platforms may be absent', () => {
  install(next);
  expect(missing(false)).toEqual([]);
  expect(missing(true)).toEqual(['vitest']);
});

test('a version other than the locked one counts as missing, even of an optional package', () => {
  install({ 'node_modules/next': { version: '16.4.4' } });
  expect(missing(false)).toEqual(['next']);
  install({ ...next, 'node_modules/@next/swc-other': { version: '16.4.4', optional: true } });
  expect(missing(false)).toEqual(['@next/swc-other']);
});

test('a package whose folder was deleted is missing', () => {
  install(next);
  rmSync(join(root, 'node_modules/next'), { recursive: true });
  expect(missing(false)).toEqual(['next']);
});

test('where development packages are installed, they are kept in step', () => {
  install({ ...next, 'node_modules/vitest': { version: '4.0.0', dev: true } });
  expect(missingPackages(root, { withDev: false })).toMatchObject({
    devInstalled: true,
    missing: ['vitest'],
  });
});
