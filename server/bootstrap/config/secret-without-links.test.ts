import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase } from '@/db/testing/test-database';
import { TestClock } from '../../platform/testing/test-clock';
import { readConfig } from './config';
import { openSecret } from './open-secret';

/** Simulates a file system without hard links, like a share of Windows. */
const others = vi.hoisted(() => ({ whileLinking: () => {} }));
vi.mock('node:fs/promises', async (load) => ({
  ...(await load<typeof import('node:fs/promises')>()),
  link: async () => {
    others.whileLinking();
    throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' });
  },
}));

const THEIRS = 'Zk3vN1xq8TtY5mRw0LpC7dHs2BfJ9gUe';
const clock = new TestClock();

let folder: string;
let file: string;
let database: Database;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockyard-'));
  file = join(folder, 'secret');
  database = await openTestDatabase('sqlite');
});
afterEach(async () => {
  others.whileLinking = () => {};
  await database.close();
  rmSync(folder, { recursive: true });
});

const open = () => openSecret(readConfig({ LOCKYARD_DATA_DIR: folder }), database, clock);

test('without hard links the secret is created once too, for its owner only', async () => {
  const secrets = await Promise.all([open(), open()]);
  expect(new Set([...secrets, await open()]).size).toBe(1);
  expect(readFileSync(file, 'utf8')).toBe(`${secrets[0]}\n`);
  expect(readdirSync(folder)).toEqual(['secret']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('without hard links the fastest of several processes creates the secret', async () => {
  others.whileLinking = () => {
    writeFileSync(file, '', { mode: 0o600 });
    setImmediate(() => writeFileSync(file, THEIRS));
  };
  expect(await open()).toBe(THEIRS);
  expect(readdirSync(folder)).toEqual(['secret']);
});

test('a secret file that stays empty is refused in one line', async () => {
  others.whileLinking = () => writeFileSync(file, '', { mode: 0o600 });
  await expect(open()).rejects.toThrow(/holds no secret of at least 32 characters\.[^\n]*$/);
});
