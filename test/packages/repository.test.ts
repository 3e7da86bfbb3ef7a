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
