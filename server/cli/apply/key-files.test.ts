import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WantedState } from './apply-input';
import type { ApplyReport } from './apply-report';
import { KeyFiles } from './key-files';

/** Simulates a file system without hard links, like a share of Windows. */
const others = vi.hoisted(() => ({ whileLinking: () => {} }));
vi.mock('node:fs/promises', async (load) => ({
  ...(await load<typeof import('node:fs/promises')>()),
  link: async () => {
    others.whileLinking();
    throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' });
  },
}));

const NAME = 'billing';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockyard-'));
});
afterEach(() => {
  others.whileLinking = () => {};
  rmSync(folder, { recursive: true });
});

const write = () => {
  const keys = [{ name: NAME, namespaces: ['default'], secretFile: `${NAME}.key` }];
  const addition = { sign: '+', kind: 'key', name: NAME, outcome: 'planned' } as const;
  const planned: ApplyReport = { changes: [{ ...addition, details: [] }], secrets: [] };
  return KeyFiles.write(join(folder, 'lockyard.yaml'), { keys } as WantedState, planned);
};

test('without hard links a key is written to its file too, for its owner only', async () => {
  const { keys } = await write();
  expect(readdirSync(folder)).toEqual([`${NAME}.key`]);
  expect(readFileSync(join(folder, `${NAME}.key`), 'utf8')).toBe(`${keys[NAME]}\n`);
  expect(statSync(join(folder, `${NAME}.key`)).mode & 0o777).toBe(0o600);
  expect((await write()).keys).toEqual(keys);
});

test('without hard links a file created by another process is not overwritten', async () => {
  const path = join(folder, `${NAME}.key`);
  others.whileLinking = () => writeFileSync(path, 'precious');
  await expect(write()).rejects.toThrow(/key of billing cannot be written: EEXIST/);
  expect(readdirSync(folder)).toEqual([`${NAME}.key`]);
  expect(readFileSync(path, 'utf8')).toBe('precious');
});
