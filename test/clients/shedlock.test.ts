import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';

const clients = join(import.meta.dirname, '../../clients');

async function maven(args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const options = { env, maxBuffer: 2 ** 24 };
  const { stdout } = await promisify(execFile)('mvn', ['-B', ...args], options).catch(
    (error: { stdout?: string }) => {
      throw new Error(`mvn failed: ${error.stdout?.slice(-8_000) ?? error}`);
    },
  );
  return stdout;
}

test('the clients for the JVM can be built without a server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lockyard-jvm-'));
  try {
    await cp(clients, folder, { recursive: true });
    const { LOCKYARD_URL: _url, LOCKYARD_API_KEY: _key, ...env } = process.env;
    await maven(['-f', folder, 'package'], env);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 600_000);

test("our LockProvider passes ShedLock's own contract tests", async () => {
  const api = await ApiHarness.start();
  const folder = await mkdtemp(join(tmpdir(), 'lockyard-shedlock-'));
  try {
    // What Maven builds stays out of the repository.
    await cp(clients, folder, { recursive: true });
    const key = await api.key('shedlock');
    const said = await maven(
      ['-f', folder, '-pl', 'shedlock', '-am', 'test', '-DskipTests=false'],
      { ...process.env, LOCKYARD_URL: api.url, LOCKYARD_API_KEY: key },
    );
    expect(said).toMatch(/Tests run: 19, Failures: 0, Errors: 0, Skipped: 0/);
  } finally {
    await api.close();
    await rm(folder, { recursive: true, force: true });
  }
}, 600_000);
