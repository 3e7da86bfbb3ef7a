import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../project-root.mjs';
import { LONG_ONLY, LONG_SUITES } from './long-suites.mjs';

const isLong = (path: string) => LONG_SUITES.some((part) => path.includes(part));

test('every test that the short run omits or shortens is in the long run', () => {
  const tests = ['client', 'db', 'server', 'test'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
      .map((path) => join(folder, path)),
  );
  const longer = tests.filter((path) =>
    /process\.env\.TEST_LONG|\bsampledStores\b/.test(readFileSync(join(projectRoot, path), 'utf8')),
  );
  expect(longer.length).toBeGreaterThan(5);
  expect([...longer, ...LONG_ONLY].filter((path) => !isLong(path))).toEqual([]);
  for (const part of LONG_SUITES)
    expect(
      tests.some((path) => path.includes(part)),
      part,
    ).toBe(true);
});
