import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sourceHash } from './source-hash.mjs';

let root: string;
const write = (path: string, text: string) => writeFileSync(join(root, path), text);
const hash = (extras: string[] = []) =>
  sourceHash(root, ['app', 'settings.json', 'absent'], extras);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lockyard hash '));
  mkdirSync(join(root, 'app/deep'), { recursive: true });
  write('app/page.tsx', 'one');
  write('app/deep/part.ts', 'two');
  write('settings.json', '{}');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('the same sources have the same hash', () => expect(hash()).toBe(hash()));

test.each([
  ['a changed file', () => write('app/deep/part.ts', 'three')],
  ['a new file', () => write('app/new.ts', '')],
  ['a removed file', () => rmSync(join(root, 'app/page.tsx'))],
  ['a changed setting', () => write('settings.json', '{ }')],
  [
    'text that moved from one file to the next',
    () => {
      write('app/deep/part.ts', 'tw');
      write('app/page.tsx', 'oone');
    },
  ],
])('%s changes the hash', (_what, change) => {
  const before = hash();
  change();
  expect(hash()).not.toBe(before);
});

test('another version of Node changes the hash', () =>
  expect(hash(['115'])).not.toBe(hash(['127'])));

test('a test, a hidden file or the packed client makes nothing stale', () => {
  const before = hash();
  mkdirSync(join(root, 'app/dist'));
  write('app/dist/lockyard.js', 'anything');
  write('app/page.test.tsx', 'anything');
  write('app/.page.swp', 'anything');
  expect(hash()).toBe(before);
});
