import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockyard-repository-'));
  mkdirSync(join(folder, 'client'));
  for (const file of ['package.json', 'client/package.json']) {
    cpSync(join(root, file), join(folder, file));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const set = (...args: string[]) =>
  spawnSync(process.execPath, ['scripts/set-repository.mjs', ...args, '--folder', folder], {
    cwd: root,
    encoding: 'utf8',
  });
const manifest = (file: string, from = folder) =>
  JSON.parse(readFileSync(join(from, file), 'utf8')) as Record<string, unknown>;

test('a release says where its sources are, in both packages, and changes nothing else', () => {
  for (const url of ['https://git.example/a/b.git', 'https://git.example/acme/lockyard/']) {
    expect(set(url)).toMatchObject({ status: 0, stderr: '' });
  }
  const url = 'https://git.example/acme/lockyard';
  const repository = { type: 'git', url: `git+${url}.git` };
  const places = { bugs: { url: `${url}/issues` }, homepage: `${url}#readme` };
  const whole = { ...manifest('package.json', root), ...places, repository };
  expect(manifest('package.json')).toEqual(whole);
  expect(manifest('client/package.json')).toEqual({
    ...manifest('client/package.json', root),
    ...places,
    repository: { ...repository, directory: 'client' },
  });
});

const check = (env: Record<string, string> = {}) =>
  spawnSync(process.execPath, ['scripts/set-repository.mjs', '--check'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, npm_config_dry_run: '', ...env },
  });

test('no release is published with the placeholder of a checkout, but it can be tried', () => {
  expect(manifest('client/package.json', root)).toMatchObject({
    scripts: { prepublishOnly: 'node ../scripts/set-repository.mjs --check' },
  });
  const refused = check();
  expect(refused.status).toBe(1);
  expect(refused.stderr).toMatch(/^git\+https:\S+ is a placeholder;[^\n]*\n$/);
  expect(check({ npm_config_dry_run: 'true' })).toMatchObject({ status: 0, stderr: '' });
});

test.each([
  '',
  'lockyard',
  'http://git.example/a',
  'https://git.example',
  'https://a:b@git.example/a',
  'https://git.example/a?b',
])('"%s" is refused in one line', (url) => {
  const { status, stderr } = set(url);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^repository needs the https URL[^\n]*\n$/);
});
