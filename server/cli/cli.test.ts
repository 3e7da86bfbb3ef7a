import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { programSchemaVersion } from '@/db/schema-version';
import { newTestLocation, TEST_DIALECTS } from '@/db/testing/test-database';
import { buildCommandLine, runHere } from '../backup/testing/command-line';
import { readConfig } from '../bootstrap/config/config';
import { openControlRuntime } from '../bootstrap/open-control-runtime';
import { listAllApiKeys } from '../operations/api-keys/list-api-keys';
import { listAudit } from '../operations/audit/list-audit';
import type { ControlRuntime } from '../operations/operation-context';
import { signIn } from '../operations/sessions/sign-in';
import { COMMAND_LINE, contextOf, userActor } from '../operations/testing/test-runtime';
import { systemClock } from '../platform/clock';
import { askRunningServer, controlSocketPath, startControlSocket } from './control-socket';

let node: string;
let program: string[];
beforeAll(async () => {
  const commandLine = await buildCommandLine();
  [node = '', ...program] = commandLine.program;
});

let dataDir: string;
let databaseUrl: string | undefined;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'lockyard-'));
  databaseUrl = undefined;
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const variables = () => ({
  LOCKYARD_DATA_DIR: dataDir,
  ...(databaseUrl && { LOCKYARD_DATABASE_URL: databaseUrl }),
});

/** Runs the real command line in a separate process. */
function run(words: string[], input = '') {
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    const child = spawn(node, [...program, ...words], {
      env: { ...process.env, ...variables() },
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.on('close', (code) => resolve({ code, out, err }));
    child.stdin.end(input);
  });
}

/** Runs it with an output that accepts nothing. */
function runInto(output: 'closed pipe' | '/dev/full', words: string[]) {
  const file = output === '/dev/full' ? openSync(output, 'w') : null;
  return new Promise<{ code: number | null; err: string }>((resolve) => {
    const child = spawn(node, [...program, ...words], {
      env: { ...process.env, ...variables() },
      stdio: ['ignore', file ?? 'pipe', 'pipe'],
    });
    child.stdout?.destroy();
    let err = '';
    child.stderr?.on('data', (chunk) => {
      err += chunk;
    });
    child.on('close', (code) => {
      if (file !== null) closeSync(file);
      resolve({ code, err });
    });
  });
}

/** Like `run`, but in this process, which is faster: for cases that need no separate process. */
async function runInside(words: string[], input = '') {
  const { code, out, err } = await runHere(words, variables(), input);
  return { code, out: out.toString('utf8'), err };
}

const createKey = ['keys', 'create', '--name', 'orders', '--namespace', 'default', '--create'];

/** The parts of a server that matter to the command line: its open database, and the socket. */
async function startServer() {
  const runtime = await openControlRuntime(
    readConfig(variables()),
    pino({ level: 'silent' }),
    systemClock,
  );
  const closeSocket = await startControlSocket(runtime);
  const stop = async () => {
    await closeSocket();
    await runtime.close();
  };
  return { runtime, closeSocket, stop };
}

async function withServer<T>(use: (runtime: ControlRuntime) => Promise<T>): Promise<T> {
  const { runtime, stop } = await startServer();
  try {
    return await use(runtime);
  } finally {
    await stop();
  }
}

const verify = (key: string) => withServer(({ apiKeys }) => apiKeys.verify(key.trim()));

describe.each(TEST_DIALECTS)('the command line over %s', (dialect) => {
  /** What only a process of its own shows is the same over each database. */
  const runOne = dialect === 'sqlite' ? run : runInside;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    const place = await newTestLocation(dialect);
    remove = place.remove;
    databaseUrl = place.url.kind === 'mysql' ? place.url.url : `sqlite:${place.url.path}`;
  });
  afterEach(() => remove());

  test('creates a database only if requested, and says where it looked or created it', async () => {
    const create = ['namespaces', 'create', '--name', 'reports', '--json'];
    const refused = await runInside(create);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/"message":"There is no database yet: [^\n]* add --create\."}}\n$/);
    if (dialect === 'sqlite') expect(readdirSync(dataDir)).toEqual([]);
    const made = await runOne([...create, '--create']);
    expect(made).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^Created a new database: [^\n]+\n$/),
    });
    expect(JSON.parse(made.out)).toMatchObject({ created: true, name: 'reports' });
    const { out, ...listed } = await runInside(['namespaces', 'list', '--json']);
    expect(listed).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({
      namespaces: [{ name: 'default' }, { name: 'reports' }],
    });
  });

  test('prints a new key and nothing else when no server runs', async () => {
    await withServer(async () => undefined);
    const { code, out, err } = await runOne(createKey);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^lyk_\w{12}_\w{46}\n$/);
    expect(await verify(out)).toMatchObject({ service: 'orders', namespaces: ['default'] });
    const { err: refusal } = await runInside(['locks', 'list']);
    expect(refusal).toContain(`No server is running on the data folder ${dataDir}. Start one, or`);
  });

  test('does the same while a server runs, which knows the key at once', async () => {
    await withServer(async (runtime) => {
      expect(await runOne(['namespaces', 'create', '--name', 'billing'])).toEqual({
        code: 0,
        out: '',
        err: 'Namespace "billing" created on backend "default".\n',
      });
      const { out } = await runOne([...createKey, '--namespace', 'billing']);
      expect(await runtime.apiKeys.verify(out.trim())).toMatchObject({
        namespaces: ['default', 'billing'],
      });
      const { rows } = await listAudit(contextOf(runtime, userActor('admin')), { limit: 2 });
      expect(rows.map(({ act, actorKind, address }) => [act, actorKind, address])).toEqual([
        ['key.create', 'cli', 'local'],
        ['namespace.create', 'cli', 'local'],
      ]);
      expect(JSON.stringify(rows)).not.toContain(out.trim());
    });
  });

  test('creates users with a generated or a given password, and resets it', async () => {
    await withServer(async (runtime) => {
      const enter = (password: string) =>
        signIn(contextOf(runtime, null), { name: 'Ana B.', password: password.trimEnd() });
      const create = ['users', 'create', '--name', 'Ana B.', '--role', 'operator'];
      const made = await runInside(create);
      expect(made).toMatchObject({ code: 0, err: '' });
      expect(made.out).toMatch(/^\w{20}\n$/);
      expect((await enter(made.out)).user).toMatchObject({ role: 'operator' });

      expect(await runInside(create)).toMatchObject({ code: 1, out: '' });

      const reset = ['users', 'reset-password', '--name', 'Ana B.'];
      const given = ' two words, kept as they are ';
      expect(await runOne([...reset, '--password-stdin'], `${given}\n`)).toEqual({
        code: 0,
        out: '',
        err: 'The password of "Ana B." was reset.\n',
      });
      await expect(enter(made.out)).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
      await signIn(contextOf(runtime, null), { name: 'Ana B.', password: given });
      await enter((await runInside(reset)).out);
    });
  });
});

describe('the command line', () => {
  test('says in one line what is wrong, and exits 2 for invalid arguments, else 1', async () => {
    const cases: [string[], number, RegExp][] = [
      [['keys', 'destroy'], 2, /Unknown command "keys destroy"/],
      [['keys'], 2, /Unknown command "keys"/],
      [['lock', 'list'], 2, /Unknown command "lock list"; did you mean "locks list"/],
      [['keys', 'create', '--name', 'x'], 2, /needs --namespace/],
      [['keys', 'create', '--namespace', 'default'], 2, /needs --name/],
      [[...createKey, '--colour', 'red'], 2, /--colour/],
      [[...createKey, 'surplus'], 2, /surplus/],
      [[...createKey, '--role', 'admin'], 2, /does not take --role/],
      [['keys', 'create', '--name', 'no spaces', '--namespace', 'default'], 2, /--name: must be/],
      [['keys', 'create', '--name', 'x', '--namespace', 'No Such'], 2, /--namespace: must be/],
      [['users', 'create', '--name', 'x', '--role', 'king'], 2, /--role:/],
      [['keys', 'create', '--name', 'x', '--namespace', 'nowhere'], 1, /no namespace "nowhere"/],
      [['apply', '-f', '/nowhere'], 1, /^\/nowhere cannot be read: no such file or folder\.\n$/],
      [['users', 'reset-password', '--name', 'nobody'], 1, /no user "nobody"/],
      [['namespaces', 'create', '--name', 'x', '--backend', 'moon'], 1, /"moon" is not configured/],
    ];
    const { stop } = await startServer();
    // Each exit code has one case in a separate process.
    const runs = cases.map(([words], i) => (i % 6 === 0 ? run(words) : runInside(words)));
    const results = await Promise.all(runs);
    await stop();
    for (const [index, { code, out, err }] of results.entries()) {
      const [words, expected, message] = cases[index] as (typeof cases)[number];
      expect({ code, out }, words.join(' ')).toEqual({ code: expected, out: '' });
      expect(err, words.join(' ')).toMatch(message);
      expect(err.trimEnd()).not.toContain('\n');
    }
  });

  test('prints its help', async () => {
    const asked = [run([]), ...[['--help'], ['lock', '-h']].map((words) => runInside(words))];
    for (const { code, out, err } of await Promise.all(asked)) {
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain('  keys create --name');
      expect(out).toContain('  restore FILE');
    }
    const { out } = await runInside(['keys', 'rotate', '--help']);
    expect(out).toContain('  keys rotate --id');
    expect(out).not.toContain('keys create');
    expect(readdirSync(dataDir)).toEqual([]);
  });

  test('accepts options of every command also before its name', async () => {
    const { code, out } = await runInside(['--json', 'doctor']);
    expect(JSON.parse(out)).toMatchObject({ exitCode: code, findings: expect.any(Array) });
    // 2 says that a dry run found differences.
    const apply = await runInside(['--json', 'apply', '--dry-run']);
    expect({ code: apply.code, ...JSON.parse(apply.err).error }).toEqual({
      code: 1,
      reason: 'INVALID',
      message: 'apply needs -f FILE.',
    });
  });

  test('prints its version and its schema', async () => {
    const schema = programSchemaVersion('sqlite');
    const out = expect.stringMatching(
      new RegExp(`^Lockyard \\d+\\.\\d+\\.\\d+, schema ${schema}\\n$`),
    );
    expect(await run(['--version'])).toEqual({ code: 0, out, err: '' });
    expect(await runInside(['-v'])).toEqual({ code: 0, out, err: '' });
    const { code, out: json } = await runInside(['--version', '--json']);
    const version = expect.stringMatching(/^\d+\.\d+\.\d+$/);
    expect({ code, ...JSON.parse(json) }).toEqual({ code: 0, version, schema });
  });

  test('ends quietly when the reader of its output closes the pipe', async () => {
    expect(await runInto('closed pipe', ['--help'])).toEqual({ code: 0, err: '' });
    await runInside(createKey);
    const list = ['keys', 'list', '--json'];
    expect(await runInto('closed pipe', list)).toEqual({ code: 0, err: '' });
  });

  test('fails if a new secret cannot be printed, and says what to do about it', async () => {
    await withServer(async (runtime) => {
      const { code, err } = await runInto('closed pipe', createKey);
      const [key] = await listAllApiKeys(contextOf(runtime, COMMAND_LINE));
      expect([code, err]).toEqual([
        1,
        'Standard output cannot be written: write EPIPE. ' +
          `The new API key ${key?.id} is lost; revoke it: keys revoke --id ${key?.id}\n`,
      ]);
    });
  });

  test.runIf(process.platform === 'linux')(
    'says in one line that its answer could not be written, and fails',
    async () => {
      await runInside(createKey);
      const err = expect.stringMatching(/^Standard output cannot be written: ENOSPC[^\n]*\n$/);
      expect(await runInto('/dev/full', ['keys', 'list'])).toEqual({ code: 1, err });
    },
  );

  test('hashes a password at the same cost as a server', async () => {
    const create = ['users', 'create', '--name', 'x', '--role', 'viewer', '--create'];
    expect(await run(create)).toMatchObject({ code: 0 });
    await withServer(async ({ database: { db, tables } }) => {
      const kept = await db.select({ hash: tables.users.passwordHash }).from(tables.users);
      expect(kept).toEqual([{ hash: expect.stringMatching(/^scrypt\$16\$/) }]);
    });
  });

  test('refuses a weak password', async () => {
    const create = ['users', 'create', '--name', 'x', '--role', 'viewer', '--password-stdin'];
    expect(await runInside(create, 'short\n')).toMatchObject({ code: 2, out: '' });
    expect(await runInside(create, 'password1234\n')).toMatchObject({ code: 1, out: '' });
  });

  test('reads a password as one line, and does not wait for more', async () => {
    const { stop } = await startServer();
    const words = ['users', 'create', '--name', 'x', '--role', 'viewer', '--password-stdin'];
    const child = spawn(node, [...program, ...words], {
      env: { ...process.env, ...variables() },
      stdio: ['pipe', 'inherit', 'ignore'],
    });
    const ended = once(child, 'exit');
    child.stdin.write('plough the seventh field\n');
    expect(await ended).toEqual([0, null]);
    await stop();
  });

  test('names the data folder when a file is in its place', async () => {
    dataDir = join(dataDir, 'file');
    writeFileSync(dataDir, '');
    const { code, err } = await run(createKey);
    expect(code).toBe(1);
    expect(err).toMatch(/^The data folder [^\n]* a file is in the way[^\n]*\n$/);
  });

  test('says so when a database is open in a server that it cannot reach', async () => {
    const { closeSocket, runtime } = await startServer();
    await closeSocket();
    const { code, err } = await run(createKey);
    expect(code).toBe(1);
    expect(err).toMatch(/^Another Lockyard process has [^\n]* open[^\n]*\n$/);
    await runtime.close();
  });
});

test('an apply that still reads its file ends at once with a signal', async () => {
  const child = spawn(node, [...program, 'apply', '-f', '-'], {
    env: { ...process.env, ...variables() },
  });
  const ended = once(child, 'exit');
  // More than a pipe holds, so that it is being read once this is written.
  await new Promise((resolve) => child.stdin.write(`#${'x'.repeat(300_000)}\n`, resolve));
  child.kill('SIGTERM');
  expect(await ended).toEqual([null, 'SIGTERM']);
});

describe('the control socket', () => {
  test('is accessible only to its owner, and removed when the server ends', async () => {
    const { stop } = await startServer();
    expect(statSync(controlSocketPath(dataDir)).mode & 0o777).toBe(0o600);
    await stop();
    expect(readdirSync(dataDir).filter((name) => name.endsWith('.sock'))).toEqual([]);
  });

  test('left by a killed server blocks neither the command line nor the next server', async () => {
    const script = `require('net').createServer().listen(process.argv[1], () => console.log('up'))`;
    const path = controlSocketPath(dataDir);
    const child = spawn(process.execPath, ['-e', script, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await new Promise((resolve) => {
      child.once('exit', resolve);
      child.kill('SIGKILL');
    });
    expect(statSync(path).isSocket()).toBe(true);

    expect(await run(createKey)).toMatchObject({ code: 0 });
    await withServer(async ({ apiKeys }) => {
      const { out } = await run(createKey);
      expect(await apiKeys.verify(out.trim())).toMatchObject({ service: 'orders' });
    });
  });

  test('of a server that ends is not removed if it belongs to the next one', async () => {
    const first = await startServer();
    const second = await startControlSocket(first.runtime);
    await first.closeSocket();
    expect(await run(createKey)).toMatchObject({ code: 0 });
    await second();
    await first.runtime.close();
  });

  test('carries out no command whose caller has gone before its turn', async () => {
    await withServer(async (runtime) => {
      const ask = (name: string) => {
        const command = { verb: 'namespaces create', input: { name, backend: 'default' } };
        const socket = connect(controlSocketPath(dataDir));
        socket.on('error', () => undefined).write(`${JSON.stringify(command)}\n`);
        const hasClosed = new Promise((resolve) => socket.resume().once('close', resolve));
        return { socket, hasClosed };
      };
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      // The first command waits for this, and the second one for the first.
      const writing = runtime.database.transaction(() => held);
      const first = ask('waited-for');
      const second = ask('given-up');
      second.socket.end();
      await second.hasClosed;
      release();
      await writing;
      await first.hasClosed;
      const third = ask('later');
      await third.hasClosed;
      const { out } = await runInside(['namespaces', 'list', '--json']);
      const names = JSON.parse(out).namespaces.map((each: { name: string }) => each.name);
      expect(names).toEqual(['default', 'later', 'waited-for']);
    });
  });

  test('a file that is asked to end early is applied no further, and answered', async () => {
    await withServer(async (runtime) => {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const writing = runtime.database.transaction(() => held);
      const state = { version: 1 as const, namespaces: [{ name: 'late', backend: 'default' }] };
      const input = { file: 'late.yaml', state, env: {}, dryRun: false, prune: false };
      const stop = new AbortController();
      const asked = askRunningServer(dataDir, { verb: 'apply', input, json: true }, stop.signal);
      const heard = () => askRunningServer(dataDir, { verb: 'doctor', input: {} });
      await heard();
      stop.abort();
      await heard();
      release();
      await writing;
      const reply = await asked;
      expect(reply?.ok && JSON.parse(reply.print ?? '')).toMatchObject({
        changes: [{ name: 'late', outcome: 'planned' }],
        failure: { message: 'The command was interrupted.' },
      });
      expect(await runtime.namespaces.get('late')).toBeNull();
    });
  });

  test('a command of over 1 MB is refused as such', async () => {
    await withServer(async () => {
      const verb = 'backup begin';
      const long = askRunningServer(dataDir, { verb, input: { file: 'x'.repeat(1_100_000) } });
      await expect(long).rejects.toMatchObject({ reason: 'TOO_LARGE' });
    });
  });

  test('takes a file to apply however long its path is', async () => {
    const folder = join(dataDir, ...Array<string>(3).fill('a'.repeat(100)));
    await mkdir(folder, { recursive: true });
    const file = join(folder, 'lockyard.yaml');
    writeFileSync(file, 'version: 1\nnamespaces: [{ name: deep }]');
    await withServer(async () => {
      const { code, out, err } = await runInside(['apply', '-f', file]);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain('+ namespace deep');
    });
  });

  test('answers malformed requests in one line, does nothing else, and keeps working', async () => {
    await withServer(async (runtime) => {
      const say = (text: string) =>
        new Promise<string>((resolve) => {
          const socket = connect(controlSocketPath(dataDir), () => socket.write(text));
          let answer = '';
          socket.on('data', (chunk) => {
            answer += chunk;
          });
          socket.on('error', () => undefined);
          socket.on('close', () => resolve(answer));
        });
      for (const text of ['{}\n', 'null\n', '{"verb":"keys create","input":{}}\n', '\n']) {
        expect(JSON.parse(await say(text))).toMatchObject({ ok: false });
      }
      expect(await say('x'.repeat(1_100_000))).toBe('');
      const begin = '{"verb":"backup begin","input":{"file":"too long"}}';
      expect(await say(`${begin.padEnd(1024 * 1024 + 10)}\n`)).toBe('');
      expect(await run(createKey)).toMatchObject({ code: 0 });
      const { rows } = await listAudit(contextOf(runtime, COMMAND_LINE), { limit: 10 });
      expect(rows.map(({ act }) => act)).not.toContain('backup.make');
    });
  });
});
