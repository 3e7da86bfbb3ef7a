import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readProcessStat } from '../../platform/linux-process';
import { CommandChild } from './command-child';

let folder: string;

const isAlive = (pid: number) => (readProcessStat(pid)?.state ?? 'Z') !== 'Z';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockyard-child-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

test.runIf(process.platform === 'linux')(
  'a command in the group of exec is ended with all that it started, also where there is no ps',
  async () => {
    vi.stubEnv('PATH', folder);
    const file = join(folder, 'pid');
    const script = '/bin/sleep 60 & echo $! > "$FILE"; wait';
    const child = await CommandChild.start(
      ['/bin/sh', '-c', script],
      { FILE: file },
      false,
      () => {},
    );
    await expect.poll(() => readFileSync(file, { encoding: 'utf8', flag: 'a+' })).toMatch(/\d\n/);
    const pid = Number(readFileSync(file, 'utf8'));
    try {
      await child.end(1_000);
      expect(isAlive(pid)).toBe(false);
    } finally {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    }
  },
);
