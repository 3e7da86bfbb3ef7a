import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openSnapshot, type Snapshot } from '@/db/snapshot';
import { openTestDatabase } from '@/db/testing/test-database';
import { readBackup } from './read-backup';
import { writeBackup } from './write-backup';

/** The file system of this machine has hard links; this one has none, like a share of Windows. */
const others = vi.hoisted(() => ({
  whileLinking: () => {},
  /** Called with each file or folder that is flushed. */
  whileFlushing: (_path: string) => {},
}));
vi.mock('node:fs/promises', async (load) => {
  const own = await load<typeof import('node:fs/promises')>();
  return {
    ...own,
    link: async () => {
      others.whileLinking();
      throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' });
    },
    async open(...args: Parameters<typeof own.open>) {
      const handle = await own.open(...args);
      const sync = handle.sync.bind(handle);
      handle.sync = async () => {
        others.whileFlushing(String(args[0]));
        await sync();
      };
      return handle;
    },
  };
});

let folder: string;
let snapshot: Snapshot;
let closeDatabase: () => Promise<void>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockyard-'));
  const database = await openTestDatabase('sqlite');
  closeDatabase = () => database.close();
  const [file] = (await database.sqlite?.client.execute('PRAGMA database_list'))?.rows ?? [];
  snapshot = await openSnapshot({ kind: 'sqlite', path: String(file?.file) });
});
afterEach(async () => {
  others.whileLinking = () => {};
  others.whileFlushing = () => {};
  await snapshot.close();
  await closeDatabase();
  rmSync(folder, { recursive: true });
});

const write = (overwrite = false) => {
  const { signal } = new AbortController();
  const file = join(folder, 'one.gz');
  return writeBackup(snapshot, file, { overwrite, madeAt: 1, intent: '', signal });
};

test('without hard links a backup is written as a new file', async () => {
  await write();
  expect(readdirSync(folder)).toEqual(['one.gz']);
  const { sha256 } = await readBackup(join(folder, 'one.gz'));
  expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  await expect(write()).rejects.toThrow(/it already exists; --force replaces it/);
});

test('without hard links a backup replaces no file that took its name meanwhile', async () => {
  others.whileLinking = () => writeFileSync(join(folder, 'one.gz'), 'another');
  await expect(write()).rejects.toThrow(/it already exists; --force replaces it/);
  expect(readdirSync(folder)).toEqual(['one.gz']);
});

test('the name of a backup is on the disk before it is reported as made', async () => {
  const flushed: string[][] = [];
  others.whileFlushing = (path) => {
    if (path === folder) flushed.push(readdirSync(folder));
  };
  await write();
  await write(true);
  expect(flushed).toEqual([['one.gz'], ['one.gz']]);
});
