import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePort } from '@/scripts/system/free-port.mjs';

const BUILT_WITHIN_MS = 600_000;
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'lockyard-slim-'));
const clone = join(folder, 'lockyard');
const children: ChildProcess[] = [];

/** As a service manager starts it: no home, no terminal, and no writing outside `LOCKYARD_DATA_DIR`. */
const bareEnv = {
  PATH: process.env.PATH ?? '',
  LOCKYARD_DATA_DIR: join(folder, 'data'),
  npm_config_cache: join(folder, 'npm'),
  npm_config_update_notifier: 'false',
  NODE_ENV: 'production' as const,
};

const npm = (...args: string[]) =>
  execFileSync('npm', args, { cwd: clone, env: bareEnv, encoding: 'utf8' });

beforeAll(() => {
  execFileSync('git', ['clone', '--quiet', root, clone]);
  npm('ci', '--omit=dev', '--silent');
  npm('run', '--silent', 'build', '--', '--slim');
}, BUILT_WITHIN_MS);

afterAll(async () => {
  for (const child of children) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  }
  rmSync(folder, { recursive: true, force: true });
}, BUILT_WITHIN_MS);

function bytesIn(place: string): number {
  return readdirSync(place, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

test('packages and build together take 250 MB at most', () => {
  const bytes = bytesIn(join(clone, 'node_modules')) + bytesIn(join(clone, '.next'));
  console.info(`${Math.round(bytes / 1e6)} MB`);
  expect(bytes).toBeLessThan(250e6);
});

test(
  'it starts from a folder that cannot be written, and serves pages and API',
  async () => {
    const port = await freePort();
    const env = { ...bareEnv, PORT: String(port) };
    // Only a mount keeps root from writing.
    const readOnly =
      'mount --bind . . && cd "$PWD" && mount -o remount,ro,bind . && exec npm --silent start';
    const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
    const child = spawn('unshare', [...asRoot, '--mount', 'sh', '-c', readOnly], {
      cwd: clone,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const status = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`).then((answer) => answer.status);
    await vi.waitFor(async () => expect(await status('/api/health/ready')).toBe(200), {
      timeout: 60_000,
      interval: 250,
    });
    for (const path of ['/docs', '/sign-in', '/api/v1/openapi.json']) {
      expect([path, await status(path)]).toEqual([path, 200]);
    }
    expect(npm('run', '--silent', 'lockyard', '--', '--version')).toMatch(/^Lockyard \d/);
  },
  BUILT_WITHIN_MS,
);
