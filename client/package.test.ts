import { exec, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';

const root = join(import.meta.dirname, '..');
const project = mkdtempSync(join(tmpdir(), 'lockyard-package-'));

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: project, encoding: 'utf8', stdio: 'pipe' });

const shell = promisify(exec);

beforeAll(() => {
  run(process.execPath, join(root, 'client/build.mjs'));
  run('npm', 'pack', join(root, 'client'), '--pack-destination', project, '--silent');
  const [tarball = ''] = readdirSync(project).filter((name) => name.endsWith('.tgz'));
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }');
  run('npm', 'install', '--offline', '--no-audit', '--no-fund', '--silent', `./${tarball}`);
}, 60_000);

afterAll(() => rmSync(project, { recursive: true, force: true }));

const EXAMPLE = `
import { LockLost, LockTimeout, LockyardClient, LockyardError, withLock } from 'lockyard';
import type { AcquireAnswer, Hold, WithLockOptions } from 'lockyard';

const client = new LockyardClient({ url: 'http://127.0.0.1:1', apiKey: 'k', version: '1.0.0' });
const options: WithLockOptions = { client, waitMs: 0, signal: AbortSignal.timeout(50) };
const work = async (hold: Hold) => hold.token + hold.remainingMs();
const done: Promise<number> = withLock('job', options, work);
const text: string = await done.then(String, (error: unknown) =>
  error instanceof LockLost || error instanceof LockTimeout ? error.lock : (error as Error).name);
const answer: Promise<AcquireAnswer | string> = client
  .acquire({ name: 'job', leaseMs: 1_000 })
  .catch((error: unknown) => (error instanceof LockyardError ? error.reason : 'no'));
// @ts-expect-error a lock needs a name
client.inspect({}).catch(() => {});
console.log(text, await answer);
`;

describe('the package, packed and installed somewhere else', () => {
  test('carries the code, its types, README and licence, and nothing else', () => {
    const files = readdirSync(join(project, 'node_modules/lockyard'), { recursive: true }).map(
      String,
    );
    const other = files.filter((name) => !/^dist(\/guards)?$|^dist\/.+\.d\.ts$/.test(name));
    expect(other.sort()).toEqual([
      'README.md',
      'dist/LICENSE',
      'dist/guards/mysql.js',
      'dist/guards/redis.js',
      'dist/guards/shared.js',
      'dist/guards/sqlite.js',
      'dist/lockyard-command.js',
      'dist/lockyard.js',
      'package.json',
    ]);
    expect(files).toContain('dist/lockyard.d.ts');
  });

  test('type-checks under the rules of Node and runs', () => {
    writeFileSync(join(project, 'example.ts'), EXAMPLE);
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2022'],
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      skipLibCheck: false,
    };
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['example.ts'] }),
    );
    run(process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', '.');
    expect(run(process.execPath, 'example.js').trim()).toBe('TimeoutError UNKNOWN');
  });

  test('brings the command `lockyard`, which a script runs through npx', async () => {
    const api = await ApiHarness.start();
    try {
      const env = {
        ...process.env,
        LOCKYARD_URL: api.url,
        LOCKYARD_API_KEY: await api.key('script'),
      };
      const npx = (words: string) =>
        shell(`npx --no-install lockyard ${words}`, { cwd: project, env });
      const script = `'echo "$LOCKYARD_LOCK" "$1"; exit 7' sh --quiet`;
      await expect(npx(`exec nightly --lease 10s -- sh -c ${script}`)).rejects.toMatchObject({
        code: 7,
        stdout: 'nightly --quiet\n',
      });
      const { stdout } = await npx('inspect nightly --json');
      expect(JSON.parse(stdout)).toMatchObject({ name: 'nightly', state: 'free' });
    } finally {
      await api.close();
    }
  }, 60_000);
});
