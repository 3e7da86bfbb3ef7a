import { exec, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newTestLocation } from '@/db/testing/test-database';
import { ApiHarness } from '@/test/api-harness';
import { isAlive } from './command/testing/command-rig';
import { LockyardClient } from './lockyard-client';
import {
  GIVEN,
  RUN_SNIPPETS,
  snippets,
  TRACED,
  TYPED,
  TYPED_PAGES,
  WHOLE,
} from './testing/package-examples';
import { followTutorial } from './testing/tutorial';

const IS_LONG = process.env.TEST_LONG === '1';

const root = join(import.meta.dirname, '..');
const project = mkdtempSync(join(tmpdir(), 'lockyard-package-'));

/** A cache for npm if the home folder is not writable. */
const npmCache = { npm_config_cache: join(project, '.npm') };

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, {
    cwd: project,
    encoding: 'utf8',
    stdio: 'pipe',
    env: { ...process.env, ...npmCache },
  });

const shell = promisify(exec);

beforeAll(() => {
  run(process.execPath, join(root, 'client/build.mjs'));
  run('npm', 'pack', join(root, 'client'), '--pack-destination', project, '--silent');
  const [tarball = ''] = readdirSync(project).filter((name) => name.endsWith('.tgz'));
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }');
  run('npm', 'install', '--offline', '--no-audit', '--no-fund', '--silent', `./${tarball}`);
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

const NODE_RULES = {
  strict: true,
  exactOptionalPropertyTypes: true,
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2022'],
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
};

/** Compiles files of the project, by their names without `.ts`. */
function compile(sources: Record<string, string>, options: object) {
  for (const [name, text] of Object.entries(sources)) {
    writeFileSync(join(project, `${name}.ts`), text);
  }
  const files = Object.keys(sources).map((name) => `${name}.ts`);
  const compilerOptions = { ...NODE_RULES, ...options };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  try {
    run(process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', '.');
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout);
  }
}

/** Makes a package that is installed here available in the project. */
function lend(name: string) {
  const place = join(project, 'node_modules', name);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), place);
}

/** The examples of its pages, by their names. */
const examples: Record<string, string> = Object.assign({}, ...TYPED_PAGES.map(snippets));

let areCompiled = false;

/** Compiles the programs that use drivers, and the examples, together: it takes half as long. */
function compilePrograms() {
  if (areCompiled) return;
  for (const name of ['@libsql/client', 'ioredis', 'mysql2']) lend(name);
  for (const name of ['prom-client', '@trpc/client', '@trpc/server']) lend(name);
  compile({ whole: WHOLE, ...examples }, { skipLibCheck: true });
  areCompiled = true;
}

/** All files of the package except the types. */
const NO_TYPES = [
  'LICENSE',
  'README.md',
  'dist/guards/mysql.js',
  'dist/guards/redis.js',
  'dist/guards/shared.js',
  'dist/guards/sqlite.js',
  'dist/lockyard-command.js',
  'dist/lockyard.js',
  'package.json',
];

describe('the package, packed and installed somewhere else', () => {
  test('carries the code, its types, README and licence, and nothing else', () => {
    const files = readdirSync(join(project, 'node_modules/lockyard'), { recursive: true }).map(
      String,
    );
    const other = files.filter((name) => !/^dist(\/guards)?$|^dist\/.+\.d\.ts$/.test(name));
    expect(other.sort()).toEqual(NO_TYPES);
    expect(files).toContain('dist/lockyard.d.ts');
    const ours = readFileSync(join(root, 'LICENSE'), 'utf8');
    expect(readFileSync(join(project, 'node_modules/lockyard/LICENSE'), 'utf8')).toBe(ours);
  });

  test('type-checks under the rules of Node and runs', () => {
    compile({ typed: TYPED }, { skipLibCheck: false });
    expect(run(process.execPath, 'typed.js').trim()).toBe(
      'TimeoutError BACKEND_DOWN string function',
    );
  });

  test('works as a whole against a real server, over real drivers', async () => {
    compilePrograms();
    const place = await newTestLocation('mysql');
    const api = await ApiHarness.start();
    try {
      const { stdout } = await shell('node whole.js', {
        cwd: project,
        env: {
          ...process.env,
          // The first of two servers is unreachable.
          LOCKYARD_URL: `http://127.0.0.1:2,${api.url}`,
          LOCKYARD_API_KEY: await api.key('whole'),
          MYSQL_URL: place.url.kind === 'mysql' ? place.url.url : '',
          REDIS_URL: process.env.TEST_REDIS_URL,
          SQLITE_URL: `file:${join(project, 'whole.db')}`,
        },
      });
      expect(JSON.parse(stdout)).toEqual({
        sold: ['applied', 'outOfBounds'],
        written: ['true', ...Array(4).fill('applied'), ...Array(4).fill('stale')],
        refusals: ['LockUpgradeRefused', 'InvalidGuard'],
        observed: ['granted', 'joined', 'released', 'granted', 'failed', 'released'],
        heard: [true, { outcome: 'done', value: 'free again' }, null, 'free'],
      });
    } finally {
      await api.close();
      await place.remove();
    }
  });

  test('the examples of its pages compile, and run if they need no other driver', async () => {
    compilePrograms();
    for (const page of TYPED_PAGES) expect(Object.keys(snippets(page)).length).toBeGreaterThan(0);
    const api = await ApiHarness.start();
    try {
      await api.namespace('billing');
      const isAlone = (text: string) => !/\b(pool|redis|Counter)\b/.test(text.replace(GIVEN, ''));
      const names = Object.keys(examples).filter((name) => isAlone(examples[name] ?? ''));
      writeFileSync(join(project, 'run-snippets.js'), RUN_SNIPPETS);
      const { stdout } = await shell(`node run-snippets.js ${names.join(' ')}`, {
        cwd: project,
        env: {
          ...process.env,
          LOCKYARD_URL: api.url,
          LOCKYARD_API_KEY: await api.key('examples', ['default', 'billing']),
        },
      });
      expect(names.length).toBeGreaterThan(7);
      for (const said of ['written:', 'not the leader any more', ...names]) {
        expect(stdout).toContain(said);
      }
    } finally {
      await api.close();
    }
  });

  test('is sufficient for the tutorial: each program prints what the page says', async () => {
    const api = await ApiHarness.start();
    try {
      const settings = { LOCKYARD_URL: api.url, LOCKYARD_API_KEY: await api.key('tutorial') };
      const steps = await followTutorial(project, { ...process.env, ...npmCache, ...settings });
      expect(steps.length).toBeGreaterThan(6);
      for (const { script, said, expected } of steps)
        expect([script, said]).toEqual([script, expected]);
    } finally {
      await api.close();
    }
  });

  // Most of these start npm, which takes seconds; what they prove hardly ever changes.
  if (!IS_LONG) return;

  test('is what npm would publish', () => {
    const args = ['publish', join(root, 'client'), '--dry-run', '--json', '--offline'];
    const report = JSON.parse(run('npm', ...args)) as Record<string, unknown>;
    const { files, ...published } = (report.lockyard ?? report) as { files: { path: string }[] };
    expect(published).toMatchObject({ name: 'lockyard', version: '0.1.0', bundled: [] });
    const paths = files.map(({ path }) => path);
    expect(paths.filter((path) => !path.endsWith('.d.ts')).sort()).toEqual(NO_TYPES);
    expect(paths).toEqual(expect.arrayContaining(['dist/lockyard.d.ts', 'dist/guards/mysql.d.ts']));
  });

  test('makes spans where the tracing API is installed beside it', async () => {
    lend('@opentelemetry/api');
    lend('@opentelemetry/sdk-trace-base');
    writeFileSync(join(project, 'traced.js'), TRACED);
    const api = await ApiHarness.start();
    try {
      const { stdout } = await shell('node traced.js', {
        cwd: project,
        env: {
          ...process.env,
          LOCKYARD_URL: api.url,
          LOCKYARD_API_KEY: await api.key('traced'),
        },
      });
      expect(stdout.trim()).toBe('lockyard.wait lockyard.hold lockyard.lock');
    } finally {
      await api.close();
    }
  });

  test('brings the command `lockyard`, which a script runs through npx', async () => {
    const api = await ApiHarness.start();
    try {
      const env = {
        ...process.env,
        ...npmCache,
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
      const { version } = JSON.parse(readFileSync(join(root, 'client/package.json'), 'utf8'));
      expect((await npx('--version')).stdout).toBe(`lockyard ${version}\n`);
      const { stdout } = await npx('inspect nightly --json');
      expect(JSON.parse(stdout)).toMatchObject({ name: 'nightly', state: 'free' });
    } finally {
      await api.close();
    }
  });

  test('ends its command, or its wait, when only npx receives SIGTERM', async () => {
    const api = await ApiHarness.start();
    const env = {
      ...process.env,
      ...npmCache,
      LOCKYARD_URL: api.url,
      LOCKYARD_API_KEY: await api.key('script'),
    };
    const client = new LockyardClient({ url: api.url, apiKey: env.LOCKYARD_API_KEY });
    const started: ReturnType<typeof spawn>[] = [];
    const npx = (script: string) => {
      const words = ['--no-install', 'lockyard', 'exec', 'alone', '--', 'sh', '-c', script];
      const child = spawn('npx', words, { cwd: project, env, stdio: 'ignore' });
      started.push(child);
      return child;
    };
    const soon = (look: () => Promise<void> | void) =>
      vi.waitFor(look, { timeout: 60_000, interval: 50 });
    const seen = async () => {
      const { state, waiters } = await client.inspect({ name: 'alone' });
      return { state, waiting: waiters.length };
    };
    try {
      const holder = npx('echo $$ > pid; exec sleep 600');
      await soon(async () => expect(await seen()).toEqual({ state: 'held', waiting: 0 }));
      const waiter = npx('true');
      await soon(async () => expect(await seen()).toEqual({ state: 'held', waiting: 1 }));

      waiter.kill('SIGTERM');
      await soon(async () => expect(await seen()).toEqual({ state: 'held', waiting: 0 }));
      await soon(() => expect(readFileSync(join(project, 'pid'), 'utf8')).toMatch(/\n/));
      const pid = Number(readFileSync(join(project, 'pid'), 'utf8'));
      expect(isAlive(pid)).toBe(true);
      holder.kill('SIGTERM');
      await soon(async () => expect(await seen()).toEqual({ state: 'free', waiting: 0 }));
      expect(isAlive(pid)).toBe(false);
    } finally {
      for (const child of started) {
        if (child.exitCode === null && child.signalCode === null) {
          child.kill('SIGTERM');
          await once(child, 'exit');
        }
      }
      await api.close();
    }
  });
});
