import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ScriptedServer } from '../testing/scripted-server';
import { CommandRig } from './testing/command-rig';

let rig: CommandRig;
let names = 0;

beforeAll(async () => {
  rig = await CommandRig.start();
});
afterAll(() => rig.close());

const freshName = () => `look/${++names}`;

async function held(name: string, owner = 'worker-1') {
  const answer = await rig.client.acquire({ name, owner, leaseMs: 60_000 });
  if (answer.outcome !== 'granted') throw new Error(answer.outcome);
  return answer.token;
}

const stateOf = async (name: string) => (await rig.client.inspect({ name })).state;

/** The server's projection has a change a moment later. */
const soon = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 60_000, interval: 50 });

describe('lockyard ls', () => {
  test('lists held locks under a prefix, as columns or JSON; --all adds free ones', async () => {
    const [mine, other, free] = [`ls:${freshName()}`, freshName(), `ls:${freshName()}`];
    const token = await held(mine);
    await held(other);
    await rig.client.release({ name: free, owner: 'worker-1', token: await held(free) });

    await soon(async () => {
      const { code, out, err } = await rig.run(['ls', 'ls:', '--json', '--all']);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(JSON.parse(out)).toEqual({
        namespace: 'default',
        ageMs: expect.any(Number),
        locks: [
          {
            name: mine,
            state: 'held',
            rev: expect.any(Number),
            holders: [
              {
                owner: 'worker-1',
                service: 'orders',
                token,
                mode: 'exclusive',
                holdCount: 1,
                grantedAt: expect.any(Number),
                expiresAt: expect.any(Number),
                expiresInMs: expect.any(Number),
              },
            ],
            queueLength: 0,
          },
          { name: free, state: 'free', rev: expect.any(Number), holders: [], queueLength: 0 },
        ],
      });
    });
    const { out } = await rig.run(['ls', 'ls:']);
    expect(out).toMatch(/^STATE +NAME +OWNER \(SERVICE\) +LEASE LEFT +WAITING\n/);
    expect(out).toMatch(/\nheld +ls:look\/\d+ +worker-1 \(orders\) +\d+\.?\d* s +0\n$/);
  });

  test('sends a terminal no control characters', async () => {
    const name = `esc:\u{1b}[2J${freshName()}`;
    await held(name, '\u{9b}31m');
    await soon(async () => {
      const { out } = await rig.run(['ls', 'esc:']);
      expect(out).toContain('\\u{1b}[2J');
      expect(out).toContain('\\u{9b}31m (orders)');
    });
  });

  test('stays within the namespaces of its key', async () => {
    await rig.api.namespace('billing');
    const { code, err } = await rig.run(['ls', '--namespace', 'billing', '--json']);
    expect({ code, err }).toEqual({
      code: 77,
      err: 'lockyard: This API key is for namespace "default", not for "billing".\n',
    });
  });
});

describe('lockyard inspect', () => {
  test('shows holder and waiters, as text or JSON', async () => {
    const name = freshName();
    const token = await held(name);
    const waiting = rig.start(['exec', name, '--owner', 'second', '--', 'true']);
    await rig.queueOf(name, 1);

    const json = await rig.run(['inspect', name, '--json']);
    expect(json).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(json.out)).toMatchObject({
      namespace: 'default',
      name,
      state: 'held',
      minValidToken: token,
      holders: [{ owner: 'worker-1', service: 'orders', token }],
      waiters: [{ place: 1, owner: 'second' }],
    });
    const { out } = await rig.run(['inspect', name]);
    expect(out).toMatch(
      /is held, 1 waiting\nheld by worker-1 \(orders\), token \d+, .* left\n1\. second/,
    );

    await rig.client.release({ name, owner: 'worker-1', token });
    expect((await waiting.ended).code).toBe(0);
  });

  test('shows how many permits are in use, who has them and who waits for some', async () => {
    const name = freshName();
    const permit = { name, owner: 'worker-1', leaseMs: 60_000, mode: 'permit' } as const;
    await rig.client.acquire({ ...permit, permits: 2, capacity: 3 });
    const more = ['--capacity', '3', '--permits', '3', '--owner', 'second'];
    const waiting = rig.start(['exec', name, ...more, '--', 'true']);
    await rig.queueOf(name, 1);
    const { out } = await rig.run(['inspect', name]);
    expect(out).toMatch(/1 waiting\n2 of 3 permits in use\n2 permits held by worker-1 \(orders\)/);
    expect(out).toMatch(/\n1\. second \(orders\), waiting for 3 permits for /);
    waiting.child.kill();
    await waiting.ended;
  });

  test('shows a never-used lock as free, without an error, and says it is not known', async () => {
    const name = freshName();
    const { code, out } = await rig.run(['inspect', name]);
    expect(code).toBe(0);
    expect(out).toMatch(/ is free, no waiters\nthis name is not known: /);
    await rig.client.release({ name, owner: 'worker-1', token: await held(name) });
    expect((await rig.run(['inspect', name])).out).toBe(`${name} in default is free, no waiters\n`);
  });
});

describe('lockyard watch', () => {
  test('prints the state now and after every change, and ends when the lock is free', async () => {
    const name = freshName();
    const token = await held(name);
    await soon(async () => {
      const { out } = await rig.run(['inspect', name]);
      expect(out).toContain('is held');
    });
    const watching = rig.start(['watch', name, '--until-free']);
    let out = '';
    watching.child.stdout?.on('data', (chunk) => {
      out += chunk;
    });
    await soon(async () => expect(out).toContain(`${name} is held by worker-1 (orders), token`));
    await rig.client.release({ name, owner: 'worker-1', token });
    const ending = await watching.ended;
    expect([ending.code, ending.err]).toEqual([0, '']);
    expect(ending.out.trim().split('\n').at(-1)).toBe(`${name} is free`);
  });

  test('prints JSON, of a prefix too, until it is interrupted', async () => {
    const name = `watch:${freshName()}`;
    const watching = rig.start(['watch', '--prefix', 'watch:', '--json']);
    let out = '';
    watching.child.stdout?.on('data', (chunk) => {
      out += chunk;
    });
    const token = await held(name);
    await soon(async () =>
      expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({
        name,
        state: 'held',
        holders: [{ token }],
      }),
    );
    watching.child.kill('SIGINT');
    expect((await watching.ended).signal).toBe('SIGINT');
  });

  test('continues after an error of the server, says so, and ends with a refusal', async () => {
    const server = new ScriptedServer();
    const watching = rig.start(['watch', 'job'], { env: { LOCKYARD_URL: await server.open() } });
    (await server.next('lock.watch')).refuse(500, 'INTERNAL');
    const free = { name: 'job', state: 'free', rev: 1, holders: [], queueLength: 0 };
    const present = { locks: [free], position: 'p', reset: false, more: false };
    (await server.next('lock.watch')).answer(present);
    (await server.next('lock.watch')).refuse(403, 'FORBIDDEN');
    expect(await watching.ended).toMatchObject({
      code: 77,
      out: 'job is free\n',
      err:
        'lockyard: server not responding, retrying…\n' +
        'lockyard: server responding again\nlockyard: refused: FORBIDDEN\n',
    });
    await server.close();
  });

  test.each([[[]], [['a', '--prefix', 'b']], [['a', 'b', '--until-free']]])(
    'refuses %j as wrong usage',
    async (words) => {
      expect(await rig.run(['watch', ...words])).toMatchObject({ code: 64, out: '' });
    },
  );
});

describe('lockyard release', () => {
  test('releases a hold, and exits with 1 if it has already ended', async () => {
    const name = freshName();
    const token = await held(name);
    const words = ['release', name, '--token', String(token), '--owner', 'worker-1'];
    const first = await rig.run([...words, '--json']);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(first.out)).toEqual({
      namespace: 'default',
      name,
      token,
      outcome: 'released',
    });
    const second = await rig.run([...words, '--json']);
    expect(second.code).toBe(1);
    expect(JSON.parse(second.out)).toMatchObject({ outcome: 'lost', cause: 'released' });
    expect(await rig.run(words)).toMatchObject({
      code: 1,
      out: expect.stringContaining('it was released'),
    });
  });

  test('claims no end of a hold of which the server has no record', async () => {
    const name = freshName();
    const token = await held(name);
    for (const [of, owner] of [
      [token + 1, 'worker-1'],
      [token, 'worker-2'],
    ]) {
      const words = ['release', name, '--token', `${of}`, '--owner', `${owner}`];
      expect(await rig.run(words)).toMatchObject({
        code: 1,
        out: `${name} has no hold of ${owner} with token ${of}, nor a record of one\n`,
        err: '',
      });
    }
  });

  test('removes one entry from a hold that was entered twice', async () => {
    const name = freshName();
    const token = await held(name);
    await rig.client.acquire({ name, owner: 'worker-1', leaseMs: 60_000, reentrant: true });
    const words = ['release', name, '--token', String(token), '--owner', 'worker-1'];
    const { code, out } = await rig.run(words);
    expect({ code, out }).toEqual({
      code: 0,
      out: `${name} is still held: entered 1 more time\n`,
    });
  });

  test('of another service’s hold is refused', async () => {
    const name = freshName();
    const token = await held(name);
    const env = { LOCKYARD_API_KEY: await rig.api.key('billing') };
    const words = ['release', name, '--token', String(token), '--owner', 'worker-1'];
    expect(await rig.run(words, { env })).toMatchObject({ code: 77, out: '' });
    expect(await rig.client.check({ name, token })).toEqual({ valid: true });
  });
});

test('help goes to standard output, for every verb, and needs no settings', async () => {
  const env = { LOCKYARD_URL: undefined, LOCKYARD_API_KEY: undefined };
  for (const words of [
    [],
    ['--help'],
    ['exec', '-h'],
    ['ls', '-h'],
    ['inspect', '-h'],
    ['watch', '-h'],
    ['release', '-h'],
  ]) {
    const { code, out, err } = await rig.run(words, { env });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('lockyard exec NAME');
  }
});

describe('an output that cannot be written', () => {
  const asked = [['--help'], ['--version'], ['ls'], ['inspect', 'job'], ['watch', 'job']];

  test.each(asked)('is no failure if it is a pipe whose reader has gone: %s', async (...words) => {
    const { child, ended } = rig.start(words);
    child.stdout?.destroy();
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });

  test.runIf(process.platform === 'linux').each(asked)(
    'is a failure otherwise, reported in one line: %s',
    async (...words) => {
      const full = `"$0" "$@" > /dev/full`;
      const child = spawn('sh', ['-c', full, process.execPath, rig.bundle, ...words], {
        env: rig.environment as NodeJS.ProcessEnv,
      });
      const printed = text(child.stderr);
      const [code] = await once(child, 'close');
      expect(code).toBe(70);
      expect(await printed).toMatch(
        /^lockyard: Standard output cannot be written: ENOSPC[^\n]*\n$/,
      );
    },
  );
});

test.each([
  ['exec', 'exec job -- cat'],
  ['watch', 'watch job'],
])('a script of npm for lockyard %s ends with its shell, which npm ends', async (_, words) => {
  const script = `lockyard ${words}`;
  const program = ['-c', `"$0" "$@" <&3; exit`, process.execPath, rig.bundle, ...words.split(' ')];
  const npm = { npm_lifecycle_event: 'locks', npm_lifecycle_script: script };
  const shell = spawn('sh', program, {
    env: { ...process.env, ...rig.environment, ...npm },
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  const closed = once(shell, 'close');
  if (words.startsWith('watch')) await once(shell.stdout as Readable, 'data');
  else await soon(async () => expect(await stateOf('job')).toBe('held'));
  shell.kill('SIGKILL');
  await closed;
});
