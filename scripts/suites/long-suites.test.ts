import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../project-root.mjs';
import { LONG_ONLY, LONG_PAGES, LONG_SUITES } from './long-suites.mjs';

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

test('every browser test that the short run omits is in the long run', () => {
  const folder = join(projectRoot, 'e2e');
  const specs = readdirSync(folder).filter((name) => name.endsWith('.spec.ts'));
  const longer = specs.filter((name) =>
    /@long|process\.env\.TEST_LONG/.test(readFileSync(join(folder, name), 'utf8')),
  );
  expect(longer.length).toBeGreaterThan(3);
  const isInLongRun = (name: string) => LONG_PAGES.some((part) => name.includes(part));
  expect(longer.filter((name) => !isInLongRun(name))).toEqual([]);
  for (const part of LONG_PAGES) {
    expect(
      specs.some((name) => name.includes(part)),
      part,
    ).toBe(true);
  }
});
