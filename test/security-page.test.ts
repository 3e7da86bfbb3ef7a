import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/security.md'), 'utf8');

test('every promise about security names tests that exist', () => {
  const rows = page
    .split('\n')
    .filter((line) => /^\| [^-]/.test(line) && !/^\| promise /.test(line));
  expect(rows.length).toBeGreaterThan(30);
  for (const row of rows) {
    const tests = [...row.matchAll(/`([\w/.-]+\.(?:test|spec)\.ts)`/g)].map(
      ([, path]) => path ?? '',
    );
    expect([row, tests.length > 0]).toEqual([row, true]);
    for (const path of tests) expect([path, existsSync(join(root, path))]).toEqual([path, true]);
  }
});
