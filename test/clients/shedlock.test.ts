import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';

const clients = join(import.meta.dirname, '../../clients');

test("our LockProvider keeps ShedLock's own contract", async () => {
  const api = await ApiHarness.start();
  const folder = await mkdtemp(join(tmpdir(), 'lockyard-shedlock-'));
  try {
    // What Maven builds stays out of the repository.
    await cp(clients, folder, { recursive: true });
    const key = await api.key('shedlock');
    const args = ['-B', '-f', folder, '-pl', 'shedlock', '-am', 'test'];
    const env = { ...process.env, LOCKYARD_URL: api.url, LOCKYARD_API_KEY: key };
    const { stdout } = await promisify(execFile)('mvn', args, { env, maxBuffer: 2 ** 24 }).catch(
      (error: { stdout?: string }) => {
        throw new Error(`mvn failed: ${error.stdout?.slice(-8_000) ?? error}`);
      },
    );
    expect(stdout).toMatch(/Tests run: 18, Failures: 0, Errors: 0, Skipped: 0/);
  } finally {
    await api.close();
    await rm(folder, { recursive: true, force: true });
  }
}, 600_000);
