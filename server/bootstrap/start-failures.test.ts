import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '@/db/open-database';
import { buildCommandLine, type CommandLine } from '../backup/testing/command-line';

let folder: string;
let built: CommandLine;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockyard-start-'));
  built = await buildCommandLine('server/main.ts');
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts the server with only these variables, and waits for its end. */
function start(
  env: Record<string, string>,
  withChild: (child: ChildProcess) => void = () => {},
): Promise<Ended> {
  const { PATH } = process.env;
  const [node = '', ...program] = built.program;
  const child = spawn(node, program, {
    env: { NODE_ENV: 'production', ...(PATH && { PATH }), ...env },
  });
  withChild(child);
  const ended: Ended = { code: null, stdout: '', stderr: '' };
  child.stdout.on('data', (text) => {
    ended.stdout += text;
  });
  child.stderr.on('data', (text) => {
    ended.stderr += text;
  });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ ...ended, code }));
  });
}

/** One line, and nothing that looks like a stack or a log. */
function expectOneLine({ code, stderr }: Ended, line: RegExp): void {
  expect(stderr).toMatch(line);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).not.toMatch(/\{"level"|^\s+at /m);
  expect(code).toBe(1);
}

const dataDir = (name: string) => ({ LOCKYARD_DATA_DIR: join(folder, name), PORT: '0' });

test('a typo in a variable is named, with a suggestion', async () => {
  const ended = await start({ LOCKYARD_DATABASE_ULR: 'sqlite:x' });
  expectOneLine(ended, /LOCKYARD_DATABASE_ULR.*LOCKYARD_DATABASE_URL/);
});

test('a data folder that cannot be used is named', async () => {
  const file = join(folder, 'a file');
  await writeFile(file, '');
  expectOneLine(
    await start({ LOCKYARD_DATA_DIR: join(file, 'x'), PORT: '0' }),
    /The data folder .*a file/,
  );
  expectOneLine(
    await start({ LOCKYARD_DATA_DIR: '/proc/lockyard', PORT: '0' }),
    /The data folder .*\/proc/,
  );
});

test('a second server on one SQLite file is refused', async () => {
  const path = join(folder, 'one.db');
  const first = await openDatabase({ kind: 'sqlite', path });
  const env = { ...dataDir('second'), LOCKYARD_DATABASE_URL: `sqlite:${path}` };
  expectOneLine(await start(env), /Another Lockyard process has .*one\.db open/);
  await first.close();
});

test('a control database that is absent is named, without its password', async () => {
  const url = 'mysql://root:hunter2hunter2@127.0.0.1:1/lockyard';
  const ended = await start({ ...dataDir('absent'), LOCKYARD_DATABASE_URL: url });
  expectOneLine(ended, /127\.0\.0\.1:1.* Check LOCKYARD_DATABASE_URL\.$/m);
  expect(ended.stderr + ended.stdout).not.toContain('hunter2');
});

test('a SQLite file that cannot be opened is named with the variable that names it', async () => {
  const env = { ...dataDir('no file'), LOCKYARD_DATABASE_URL: `sqlite:${folder}` };
  expectOneLine(await start(env), /it is a folder\. Check LOCKYARD_DATABASE_URL\.$/m);
  const broken = join(folder, 'broken');
  await mkdir(join(broken, 'lockyard.db'), { recursive: true, mode: 0o700 });
  const ended = await start({ LOCKYARD_DATA_DIR: broken });
  expectOneLine(ended, /it is a folder\. Check LOCKYARD_DATA_DIR\.$/m);
});

test('a port that is taken is named, and nothing is created', async () => {
  const other: Server = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const port = String((other.address() as AddressInfo).port);
  const ended = await start({ ...dataDir('port'), PORT: port });
  expectOneLine(ended, new RegExp(`Port ${port} .*in use.*PORT`));
  expect(existsSync(join(folder, 'port'))).toBe(false);
  await new Promise((resolve) => other.close(resolve));
});

test('a host that is not this machine is named', async () => {
  const ended = await start({ ...dataDir('host'), HOST: '192.0.2.7' });
  expectOneLine(ended, /192\.0\.2\.7 is not an address of this machine/);
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'a server that waits for its database ends at once on %s, with code 0',
  async (signal) => {
    let server: ChildProcess | undefined;
    // It accepts connections and answers nothing.
    const mute = createServer(() => server?.kill(signal));
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const { port } = mute.address() as AddressInfo;
    const url = `mysql://root@127.0.0.1:${port}/lockyard`;
    const env = { ...dataDir(`mute ${signal}`), LOCKYARD_DATABASE_URL: url };
    const ended = await start(env, (child) => {
      server = child;
    });
    expect(ended).toEqual({ code: 0, stdout: '', stderr: '' });
    await new Promise((resolve) => mute.close(resolve));
  },
);
