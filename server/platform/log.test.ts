import { spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Refuses every write, as a full disk does. */
const FULL = '/dev/full';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockyard-log-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.runIf(existsSync(FULL))(
  'a log that cannot be written neither ends a process nor keeps it running',
  async () => {
    const script = join(folder, 'logging.mts');
    const module = JSON.stringify(join(import.meta.dirname, 'log.ts'));
    await writeFile(
      script,
      `const { createLog } = await import(${module});
     const log = createLog();
     const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
     for (const line of ['one', 'two']) {
       log.warn(line);
       await pause();
     }
     console.log('still there');`,
    );
    const child = spawn(process.execPath, ['--import', 'tsx', script], {
      stdio: ['ignore', 'pipe', openSync(FULL, 'w')],
      timeout: 30_000,
    });
    let said = '';
    child.stdout?.on('data', (text) => {
      said += text;
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect({ code, said }).toEqual({ code: 0, said: 'still there\n' });
  },
);
