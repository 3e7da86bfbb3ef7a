import { execFile } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_POLICY } from '@/server/contract/namespace-policy';
import { setNamespacePolicy } from '@/server/operations/namespaces/set-namespace-policy';
import { FaultProxy } from '@/test/clients/fault-proxy';
import { readProcessStat } from '../../platform/linux-process';
import { CommandRig, type RunOptions, untilGone } from '../testing/command-rig';
import { readExecOptions } from './exec-options';

const isLinux = process.platform === 'linux';

let rig: CommandRig;
let names = 0;
let name: string;

beforeAll(async () => {
  rig = await CommandRig.start();
});
afterAll(() => rig.close());
beforeEach(() => {
  name = `exec-${++names}`;
});

/**
 * Runs a command under a lock and returns once it runs. The command sleeps, so that it does not
 * depend on standard input.
 */
async function occupy(options: string[] = []) {
  const running = rig.exec([name, ...options], `echo $$ > ${name}.pid; exec sleep 60`);
  const pid = Number(await rig.written(`${name}.pid`));
  return { ...running, pid };
}

describe('excluding', () => {
  test('commands under one lock never overlap: an unguarded count in a file is exact', async () => {
    writeFileSync(rig.path('counter'), '0\n');
    const increment = 'n=$(cat counter); sleep 0.01; echo $((n + 1)) > counter';
    const worker = async () => {
      for (let round = 0; round < 4; round++) {
        expect(await rig.exec([name], increment).ended).toMatchObject({ code: 0, err: '' });
      }
    };
    await Promise.all([worker(), worker(), worker()]);
    expect(rig.read('counter')).toBe('12\n');
  });

  test('commands that share a lock run together, and not with an exclusive one', async () => {
    const meet = 'echo here >> met; while [ $(wc -l < met) -lt 2 ]; do sleep 0.02; done';
    const [one, two] = [rig.exec([name, '--shared'], meet), rig.exec([name, '-s'], meet)];
    expect([(await one.ended).code, (await two.ended).code]).toEqual([0, 0]);

    const reader = rig.exec([name, '-s'], `echo $$ > ${name}.pid; exec sleep 60`);
    await rig.written(`${name}.pid`);
    expect((await rig.exec([name, '-n'], ':').ended).code).toBe(1);
    reader.child.kill();
    await reader.ended;
  });

  test('as many commands run at once as the capacity has permits for, and no more', async () => {
    const three = [name, '--capacity', '3'];
    const large = rig.exec([...three, '--permits', '2'], `echo $$ > ${name}.pid; exec sleep 60`);
    await rig.written(`${name}.pid`);
    expect((await rig.exec([...three, '-n'], ':').ended).code).toBe(0);
    expect((await rig.exec([...three, '-n', '--permits', '2'], ':').ended).code).toBe(1);
    const other = await rig.exec([name, '-n', '--capacity', '4'], ':').ended;
    expect(other.err).toMatch(/capacity: must be 3/);
    large.child.kill();
    await large.ended;
  });

  test('the lock is free as soon as the command is done', async () => {
    expect(await rig.exec([name], ':').ended).toMatchObject({ code: 0 });
    expect(await rig.client.inspect({ name })).toMatchObject({ state: 'free' });
  });
});

describe('--hold-at-least', () => {
  const CRON = ['-nq', '-E', '0', '--hold-at-least', '1m'];

  test('the crontab line of the docs runs a job once on four machines 500 ms apart', async () => {
    const machine = async (skewMs: number) => {
      await sleep(skewMs);
      return rig.exec([name, ...CRON], 'echo ran >> cron; sleep 0.2').ended;
    };
    const ends = await Promise.all([0, 150, 350, 500].map(machine));
    expect(ends).toMatchObject(Array(4).fill({ code: 0, out: '', err: '' }));
    expect(rig.read('cron')).toBe('ran\n');
    const { holders } = await rig.client.inspect({ name });
    expect(holders).toMatchObject([{ releasedAt: expect.any(Number) }]);
    expect(holders[0]?.expiresInMs).toBeGreaterThan(30_000);
    const [holder] = holders;
    expect((holder?.expiresAt ?? 0) - (holder?.grantedAt ?? 0)).toBe(60_000);
  });

  test('ends with the command; the next call says who released it and when it frees', async () => {
    expect(await rig.exec([name, '--hold-at-least', '30s'], 'exit 3').ended).toMatchObject({
      code: 3,
      err: '',
    });
    const { code, err } = await rig.exec([name, '-n'], ':').ended;
    expect(code).toBe(1);
    expect(err).toMatch(/ \(orders\) released it, and it stays held for another \d+(\.\d)? s\n/);
    const { out } = await rig.run(['inspect', name]);
    expect(out).toMatch(/released by .+ \(orders\), token \d+, stays held for another \d+/);
  });

  test('is at most the lease, which by default is long enough for it', async () => {
    const wrong = await rig.exec([name, '--hold-at-least', '31s', '--lease', '30s'], ':').ended;
    expect(wrong).toMatchObject({ code: 64 });
    expect(wrong.err).toContain('--hold-at-least must be at most --lease.');
    const long = await rig.exec([name, '--hold-at-least', '25h'], ':').ended;
    expect(long.err).toContain('--hold-at-least must be at most 24h.');
  });
});

describe('the command', () => {
  test('has its standard streams, arguments and folder unchanged', async () => {
    const cwd = rig.makeFolder('some where');
    const words = ['exec', name, '--', 'sh', '-c', 'pwd; cat; echo "$1|$2" >&2; exit 3', 'sh'];
    const arguments_ = ['a  b', '--wait'];
    const input = 'line one\nline two, without an end';
    expect(await rig.run([...words, ...arguments_], { input, cwd })).toEqual({
      code: 3,
      signal: null,
      out: `${cwd}\n${input}`,
      err: 'a  b|--wait\n',
    });
  });

  test('receives its token, lock, namespace, owner and address', async () => {
    const script =
      'echo "$LOCKYARD_LOCK|$LOCKYARD_NAMESPACE|$LOCKYARD_OWNER|$LOCKYARD_URL|$LOCKYARD_TOKEN"';
    const { out } = await rig.exec([name, '--owner', 'me:1'], script).ended;
    const [lock, namespace, owner, url, token] = out.trim().split('|');
    expect({ lock, namespace, owner, url }).toEqual({
      lock: name,
      namespace: 'default',
      owner: 'me:1',
      url: rig.environment.LOCKYARD_URL,
    });
    const { minValidToken } = await rig.client.inspect({ name });
    expect(Number(token)).toBeGreaterThan(0);
    expect(Number(token)).toBeLessThan(minValidToken);
  });

  test('is shown to operators by its program, never by its arguments', async () => {
    const { child, ended } = await occupy();
    const row = rig.api.runtime.projection;
    const { row: shown } = await row.detail('default', name);
    expect(shown.hold?.meta).toMatchObject({ command: 'sh', pid: String(child.pid) });
    child.kill();
    await ended;
  });

  test('runs whatever the name of its program, which is cut between characters', async () => {
    const program = rig.path(`x${'🔒'.repeat(60)}`);
    writeFileSync(program, '#!/bin/sh\necho ran\n', { mode: 0o755 });
    const ran = await rig.run(['exec', name, '--', program]);
    expect(ran).toMatchObject({ code: 0, out: 'ran\n', err: '' });
  });
});

describe('exit codes', () => {
  test.each([
    ['exit 0', 0],
    ['exit 7', 7],
    ['exit 255', 255],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
  ])('of the command itself: %s is reported as %i', async (script, code) => {
    expect(await rig.exec([name], script).ended).toMatchObject({ code, err: '' });
  });

  test('127 for a missing command, 126 for one that cannot run; the lock is freed', async () => {
    const [missing, folder, plain] = [
      'no-such-command',
      rig.makeFolder('a-folder'),
      rig.path('plain'),
    ];
    writeFileSync(plain, 'echo no');
    chmodSync(plain, 0o644);
    for (const [program, code, message] of [
      [missing, 127, 'not found'],
      [folder, 126, 'EACCES'],
      [plain, 126, 'EACCES'],
    ] as const) {
      const result = await rig.run(['exec', name, '--', program]);
      expect(result).toMatchObject({ code, err: expect.stringContaining(message) });
      expect(await rig.client.inspect({ name })).toMatchObject({ state: 'free' });
    }
  });

  test('64 for wrong arguments, with one line that names them', async () => {
    const options: [string[], RegExp][] = [
      [[name], /Missing command/],
      [[name, '--'], /Missing command/],
      [[name, 'true'], /one word too many/],
      [[name, '--wait', 'soon', '--', 'true'], /--wait must be a duration/],
      [[name, '--wait', '1s', '-n', '--', 'true'], /exclude each other/],
      [[name, '--lease', '50ms', '--', 'true'], /--lease/],
      [[name, '--lease', '2s', '-k', '1.1s', '--', 'true'], /at most half/],
      [[name, '-E', '256', '--', 'true'], /-exit-code/],
      [[name, '--api-key', 'x', '--', 'true'], /Unknown option '--api-key'; see: lockyard --help/],
    ];
    for (const [words, message] of options) {
      const line = expect.stringMatching(new RegExp(`^[^\\n]*${message.source}[^\\n]*$`));
      const failure = expect.objectContaining({ exitCode: 64, message: line });
      expect(() => readExecOptions(words), words.join(' ')).toThrow(failure);
    }
    const cases: [string[], RegExp][] = [
      [['exec'], /Missing lock name/],
      [['exec', 'n'.repeat(201), '--', 'true'], /name: /],
      [['exec', name, '--owner', 'o'.repeat(101), '--', 'true'], /owner: /],
      [['exec', name, '--url', 'ftp://x', '--', 'true'], /http/],
      [['keys', 'list'], /Unknown command "keys"; see: lockyard --help; commands of the server,/],
    ];
    for (const [words, message] of cases) {
      const { code, out, err } = await rig.run(words);
      expect({ code, out }, words.join(' ')).toEqual({ code: 64, out: '' });
      expect(err).toMatch(/^lockyard: [^\n]+\n$/);
      expect(err).toMatch(message);
    }
  });

  test.each([
    [
      'exec "$(printf "report-\\377")" -- echo ran',
      /^lockyard: "report-\ufffd" has bytes that are/,
    ],
    ['exec job --owner="$(printf "\\377")" -- echo ran', /^lockyard: "--owner=\ufffd" has bytes/],
    ['exec job -- echo "$(printf "\\377")"', /^lockyard: "\ufffd" has bytes that are not UTF-8/],
    ['inspect "$(printf "report-\\377")"', /^lockyard: "report-\ufffd" has bytes/],
  ])(
    '64 for bytes that Node replaces, as they would name something else: %s',
    async (words, why) => {
      const script = `exec "$0" "$1" ${words}`;
      const ended = await new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
        const args = ['-c', script, process.execPath, rig.bundle];
        execFile('sh', args, { env: rig.environment as NodeJS.ProcessEnv }, (error, out, err) =>
          resolve({ code: error?.code ?? 0, out, err }),
        );
      });
      expect(ended).toMatchObject({ code: 64, out: '' });
      expect(ended.err).toMatch(why);
    },
  );

  test('a command receives values of variables that are not UTF-8 as they are', async () => {
    const named = `LOCKYARD_TEST_VALUE="$(printf 'caf\\351')"`;
    const shown = `printf %s "$LOCKYARD_LOCK $LOCKYARD_TEST_VALUE" | od -An -c; exit 7`;
    const script = `${named} exec "$0" "$1" exec "$2" -- "$3" -c "$4"`;
    const run = (program: string) =>
      new Promise<{ code: unknown; out: string }>((resolve) => {
        const args = ['-c', script, process.execPath, rig.bundle, name, program, shown];
        execFile('sh', args, { env: rig.environment as NodeJS.ProcessEnv }, (error, out) =>
          resolve({ code: error?.code ?? 0, out: out.replace(/\s/g, '') }),
        );
      });
    expect(await run('sh')).toEqual({ code: 7, out: `${name}caf351` });
    expect(await run('no-such-program')).toEqual({ code: 127, out: '' });
  });

  test('0 for a command with U+FFFD among its arguments, a character like any other', async () => {
    const { code, out } = await rig.run(['exec', name, '--', 'echo', '\ufffd']);
    expect({ code, out }).toEqual({ code: 0, out: '\ufffd\n' });
  });

  test('78 for a missing setting, 77 for a refused key; no key is ever shown', async () => {
    const cases: [Record<string, string | undefined>, string[], number, RegExp][] = [
      [{ LOCKYARD_URL: undefined }, [], 78, /LOCKYARD_URL .*such as http/],
      [{ LOCKYARD_API_KEY: undefined }, [], 78, /LOCKYARD_API_KEY .*keys create/],
      [{ LOCKYARD_API_KEY: 'lyk_wrong_secret' }, [], 77, /API key/],
      [{ LOCKYARD_API_KEY: 'lyk_a\nlyk_secret' }, [], 77, /API key/],
      [{ LOCKYARD_API_KEY: 'secret key' }, [], 77, /API key/],
      [{ LOCKYARD_API_KEY: ' \n' }, [], 78, /LOCKYARD_API_KEY/],
      [{}, ['--namespace', 'elsewhere'], 77, /elsewhere/],
    ];
    for (const [env, options, code, message] of cases) {
      const result = await rig.exec([name, ...options], ':', { env }).ended;
      expect(result).toMatchObject({ code, out: '' });
      expect(result.err).toMatch(message);
      expect(result.err).not.toContain('secret');
    }
  });

  test('69 for a server that says when to retry, and it is not asked much sooner', async () => {
    const proxy = await FaultProxy.start(rig.api.url);
    const data = { reason: 'NAMESPACE_FULL', retryAfterMs: 5_000 };
    proxy.rule = () => ({ status: 429, body: { error: { message: 'No room.', data } } });
    try {
      const env = { LOCKYARD_URL: proxy.url };
      const { code, err } = await rig.exec([name, '-w', '3s'], ':', { env }).ended;
      expect(code).toBe(69);
      expect(err).toBe('lockyard: namespace full, retrying…\nlockyard: No room.\n');
      expect(proxy.of(name, 'lock.acquire')).toHaveLength(2);
    } finally {
      await proxy.close();
    }
  });

  test('1 or the code that was set for a held lock, at once or after the timeout', async () => {
    const holder = await occupy();
    const cases: [string[], number][] = [
      [['-n'], 1],
      [['--no-wait', '-E', '9'], 9],
      [['--wait', '0'], 1],
      [['--wait', '0.3'], 1],
      [['-w', '300ms', '--conflict-exit-code', '0'], 0],
    ];
    for (const [options, code] of cases) {
      const { out, err, ...result } = await rig.exec([name, ...options], 'echo ran').ended;
      expect({ ...result, out }, options.join(' ')).toEqual({ code, signal: null, out: '' });
      expect(err).toMatch(/^lockyard: "exec-\d+" was not granted[^\n]* \(orders\) holds it\n$/);
    }
    expect((await rig.exec([name, '-n', '-q'], ':').ended).err).toBe('');
    holder.child.kill();
    await holder.ended;
  });
});

describe('waiting', () => {
  test.each([[[]], [['--wait', '1h']], [['--wait', '30s']]])(
    'goes on for as long as asked, %j, also in a namespace that allows shorter waits',
    async (options) => {
      const set = (policy: typeof DEFAULT_POLICY | null) =>
        setNamespacePolicy(rig.api.cli, { name: 'default', policy, reason: 'a test' });
      const holder = await occupy();
      await set({ ...DEFAULT_POLICY, patienceMaxMs: 1_000 });
      try {
        const { ended } = rig.exec([name, ...options], 'echo ran');
        await rig.queueOf(name, 1);
        await sleep(1_500);
        holder.child.kill();
        expect(await ended).toMatchObject({ code: 0, out: 'ran\n', err: '' });
      } finally {
        await set(null);
        await holder.ended;
      }
    },
  );

  const limited = { reason: 'RATE_LIMITED', retryAfterMs: 1 };
  const down = { reason: 'BACKEND_DOWN', retryAfterMs: 1 };
  test.each([
    [429, { error: { message: 'Too many.', data: limited } }, 'rate limit reached, retrying…'],
    [200, { result: { data: {} } }, 'no readable answer from the server, retrying…'],
    [502, 'Bad gateway', 'server not responding, retrying…'],
    [503, { error: { message: 'Redis is full.', data: down } }, 'Redis is full. Retrying…'],
  ])('goes on after a %i, which is said once, and the command runs', async (status, body, said) => {
    const proxy = await FaultProxy.start(rig.api.url);
    proxy.rule = ({ procedure }) =>
      procedure === 'lock.acquire' && proxy.of(name, procedure).length < 4
        ? { status, body }
        : null;
    try {
      const env = { LOCKYARD_URL: proxy.url };
      const { code, out, err } = await rig.exec([name], 'echo ran', { env }).ended;
      expect({ code, out }).toEqual({ code: 0, out: 'ran\n' });
      const again = status > 500 ? 'lockyard: server responding again\n' : '';
      expect(err).toBe(`lockyard: ${said}\n${again}`);
    } finally {
      await proxy.close();
    }
  });

  test('says why there is no connection, such as for a certificate, also with -q', async () => {
    const env = { LOCKYARD_URL: rig.api.url.replace('http:', 'https:') };
    const [loud, quiet] = await Promise.all(
      [[], ['-q']].map((more) => rig.exec([name, '-n', ...more], 'echo ran', { env }).ended),
    );
    const why = 'ERR_SSL_[A-Z_]+';
    const begun = `lockyard: server not responding \\(${why}\\), retrying…\n`;
    const given = `lockyard: [^\n]+ \\(${why}\\)\\.\n`;
    expect(loud).toMatchObject({ code: 69, out: '' });
    expect(loud?.err).toMatch(new RegExp(`^${begun}${given}$`));
    expect(quiet?.err).toMatch(new RegExp(`^${given}$`));
  });

  test('continues until the lock is free, unless a limit is given', async () => {
    const holder = await occupy();
    const waiter = rig.exec([name, '-v'], 'echo ran');
    await rig.queueOf(name, 1);
    holder.child.kill();
    const { code, out, err } = await waiter.ended;
    expect({ code, out }).toEqual({ code: 0, out: 'ran\n' });
    expect(err).toMatch(/waiting for[\s\S]*holding[\s\S]*ended with 0/);
    expect((await holder.ended).code).toBe(143);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'is given up on %s, and its place with it',
    async (signal) => {
      const holder = await occupy();
      const waiter = rig.exec([name], 'echo ran');
      await rig.queueOf(name, 1);
      waiter.child.kill(signal);
      const code = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 }[signal];
      expect(await waiter.ended).toMatchObject({ code, out: '', err: '' });
      expect((await rig.client.inspect({ name })).waiters).toEqual([]);
      holder.child.kill();
      await holder.ended;
    },
  );
});

describe('signals', () => {
  test.each([
    ['SIGTERM', 'TERM'],
    ['SIGINT', 'INT'],
    ['SIGHUP', 'HUP'],
    ['SIGQUIT', 'QUIT'],
    ['SIGUSR1', 'USR1'],
    ['SIGUSR2', 'USR2'],
  ] as const)(
    '%s reaches the command once, which decides what comes of it',
    async (signal, trap) => {
      const trapping = `trap 'echo ${trap}; exit 5' ${trap}`;
      const script = `${trapping}; echo ready > ${name}.pid; while :; do :; done`;
      const { child, ended } = rig.exec([name], script);
      await rig.written(`${name}.pid`);
      child.kill(signal);
      expect(await ended).toMatchObject({ code: 5, out: `${trap}\n`, err: '' });
      expect(await rig.client.inspect({ name })).toMatchObject({ state: 'free' });
    },
  );

  /**
   * Runs a command that notes each of its steps. It sleeps in the background: for a command in the
   * foreground dash calls `vfork`, and if the child is stopped before its `exec`, the shell is
   * shown as waiting (`D`), not as stopped.
   */
  async function stepping(options: string[] = [], more: RunOptions = {}) {
    const steps = `while :; do echo step >> ${name}.steps; sleep 0.02 & wait; done`;
    const running = rig.exec([name, ...options], `echo $$ > ${name}.pid; ${steps}`, more);
    const pid = Number(await rig.written(`${name}.pid`));
    const pids = [running.child.pid as number, pid];
    const areStopped = () => pids.every((each) => readProcessStat(each)?.state === 'T');
    return { ...running, areStopped, steps: () => rig.read(`${name}.steps`).length };
  }

  test.runIf(isLinux)('SIGTSTP stops the command too, until SIGCONT', async () => {
    const { child, ended, areStopped, steps } = await stepping();
    child.kill('SIGTSTP');
    await expect.poll(areStopped).toBe(true);
    const before = steps();
    await sleep(300);
    expect(steps()).toBe(before);
    child.kill('SIGCONT');
    await expect.poll(steps).toBeGreaterThan(before);
    child.kill();
    expect(await ended).toMatchObject({ code: 143, err: '' });
  });

  test.runIf(isLinux)('SIGTSTP stops a command too that was only just started', async () => {
    const hook = `
      import { ChildProcess } from 'node:child_process';
      import { existsSync } from 'node:fs';
      const { spawn } = ChildProcess.prototype;
      ChildProcess.prototype.spawn = function (options) {
        const result = spawn.call(this, options);
        if (options.file !== 'sh') return result;
        while (!existsSync('${name}.steps'));
        process.kill(process.pid, 'SIGTSTP');
        return result;
      };`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` };
    const { child, ended, areStopped } = await stepping([], { env });
    await expect.poll(areStopped).toBe(true);
    child.kill('SIGCONT');
    await expect.poll(areStopped).toBe(false);
    child.kill();
    expect(await ended).toMatchObject({ code: 143, err: '' });
  });

  test.runIf(isLinux)('a command that is stopped beyond its lease never goes on', async () => {
    const { child, ended, areStopped, steps } = await stepping(['--lease', '2s']);
    child.kill('SIGTSTP');
    await expect.poll(areStopped).toBe(true);
    const before = steps();
    const state = async () => (await rig.client.inspect({ name })).state;
    await expect.poll(state, { timeout: 10_000 }).not.toBe('held');
    child.kill('SIGCONT');
    expect(await ended).toMatchObject({ code: 75 });
    expect(steps()).toBe(before);
  });

  test('a signal that ends the command ends what it has started too', async () => {
    const script = `sleep 60 & echo $! > ${name}.pid; sleep 60; :`;
    const { child, ended } = rig.exec([name], script);
    const pid = Number(await rig.written(`${name}.pid`));
    child.kill('SIGTERM');
    expect((await ended).code).toBe(143);
    await untilGone(pid);
  });
});
