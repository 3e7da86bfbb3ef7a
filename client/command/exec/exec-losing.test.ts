import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '@/scripts/system/free-port.mjs';
import { forceReleaseLock } from '@/server/operations/locks/for-people/force-release-lock';
import { requestRelease } from '@/server/operations/locks/for-people/request-release';
import { FaultProxy } from '@/test/clients/fault-proxy';
import { TcpProxy } from '@/test/tcp-proxy';
import {
  CommandRig,
  isAlive,
  type Running,
  type RunOptions,
  untilGone,
} from '../testing/command-rig';

let rig: CommandRig;
let names = 0;
const lines: TcpProxy[] = [];
let name: string;

beforeAll(async () => {
  rig = await CommandRig.start();
});
afterAll(async () => {
  await Promise.all(lines.map((line) => line.close()));
  await rig.close();
});
beforeEach(() => {
  name = newName();
});

const newName = () => `losing-${++names}`;

/**
 * A lock, and a connection to the server that can be cut, for a test that runs together with
 * others.
 */
async function newPlace() {
  const { hostname, port } = new URL(rig.api.url);
  const line = await TcpProxy.start(hostname, Number(port));
  lines.push(line);
  const name = newName();
  const env = { LOCKYARD_URL: `http://127.0.0.1:${line.port}` };
  const exec = (options: string[], script: string, more: RunOptions = {}) =>
    rig.exec([name, ...options], script, { ...more, env: { ...env, ...more.env } });
  return { name, line, exec };
}

/**
 * A command that ignores requests to end, as its child does; it records the time until it is ended.
 */
const stubborn = (name: string) =>
  `trap '' TERM
  (while :; do date +%s%3N >> ${name}.times; sleep 0.05; done) & echo $$ $! > ${name}.pids
  wait; wait`;

async function pidsOf(name: string, { ended }: Running): Promise<[number, number]> {
  const endedFirst = ended.then(({ err }) => Promise.reject(new Error(err)));
  const pids = await Promise.race([rig.written(`${name}.pids`), endedFirst]);
  const [command = 0, started = 0] = pids.split(' ').map(Number);
  return [command, started];
}

const lastSignOfLife = (name: string) =>
  Number(rig.read(`${name}.times`).trim().split('\n').at(-1));

/** When the lease ends, by the server's clock; 0 if there is no hold. */
async function leaseEnd(name: string): Promise<number> {
  return (await rig.client.inspect({ name })).holders[0]?.expiresAt ?? 0;
}

async function forceRelease() {
  const { holders, rev } = await rig.client.inspect({ name });
  const reason = 'stuck since noon';
  const token = holders[0]?.token ?? 0;
  await forceReleaseLock(rig.api.cli, { namespace: 'default', name, token, rev, reason });
}

describe('a hold that is force-released', () => {
  test('ends the command, which may clean up, with the exit code for a loss', async () => {
    const tidies = `trap 'echo tidied; exit 0' TERM`;
    const script = `${tidies}; echo $$ > ${name}.pid; while :; do sleep 0.02; done`;
    // Long enough for a renewal to be answered in time, even on a busy machine.
    const { ended } = rig.exec([name, '--lease', '12s'], script);
    await rig.written(`${name}.pid`);
    await forceRelease();
    const { code, out, err } = await ended;
    expect({ code, out }).toEqual({ code: 75, out: 'tidied\n' });
    expect(err).toMatch(/force-released[^\n]*stuck since noon/);
  });

  test('kills a command that does not end, and its children, after the grace period', async () => {
    const running = rig.exec([name, '--lease', '6s', '-k', '300ms'], stubborn(name));
    const pids = await pidsOf(name, running);
    await forceRelease();
    expect((await running.ended).code).toBe(75);
    expect(pids.map(isAlive)).toEqual([false, false]);
  });
});

test('a release request of an operator is reported, and the command continues', async () => {
  const script = `echo $$ > ${name}.pid; while [ ! -e ${name}.go ]; do sleep 0.02; done; exit 3`;
  const { ended, said } = rig.exec([name, '--lease', '12s'], script);
  await rig.written(`${name}.pid`);
  const { holders } = await rig.client.inspect({ name });
  const notice = { namespace: 'default', name, token: holders[0]?.token ?? 0, rev: 0 };
  await requestRelease(rig.api.cli, 'askRelease', { ...notice, reason: 'the deploy waits' });
  await said('the deploy waits');
  writeFileSync(rig.path(`${name}.go`), '');
  expect((await ended).code).toBe(3);
});

test('a command whose renewals are refused loses its lock, and the reason is said', async () => {
  const proxy = await FaultProxy.start(rig.api.url);
  const data = { reason: 'UNAUTHENTICATED', detail: 'keyRevoked' };
  const body = { error: { message: 'The API key was revoked.', data } };
  try {
    const env = { LOCKYARD_URL: proxy.url };
    const script = `echo $$ > ${name}.pid; exec sleep 60`;
    const { ended } = rig.exec([name, '--lease', '6s'], script, { env });
    await rig.written(`${name}.pid`);
    proxy.rule = ({ procedure }) => (procedure === 'lock.renew' ? { status: 401, body } : null);
    const { code, err } = await ended;
    expect(code).toBe(75);
    expect(err).toBe(
      `lockyard: lost lock "${name}" (no renewal: UNAUTHENTICATED); terminating command\n`,
    );
  } finally {
    await proxy.close();
  }
});

describe('a server that becomes unreachable while the command runs', () => {
  test.each(['refuse', 'silence'] as const)(
    'costs the command its lock (%s): it is ended before its lease is over, never after',
    async (how) => {
      const { name, line, exec } = await newPlace();
      const running = exec(['--lease', '6s', '-k', '400ms'], stubborn(name));
      const pids = await pidsOf(name, running);
      await sleep(800);
      const cutAt = Date.now();
      line[how]();
      const { code, err } = await running.ended;
      expect(code).toBe(75);
      expect(err).toContain('terminating command');
      expect(pids.map(isAlive)).toEqual([false, false]);
      const board = await rig.api.runtime.projection.detail('default', name);
      const expiresAt = board.row.hold?.expiresAt ?? (await endOfLease(name));
      expect(lastSignOfLife(name)).toBeLessThan(expiresAt);
      expect(lastSignOfLife(name)).toBeGreaterThan(cutAt + 200);
    },
  );

  /** When a lease ended that was settled meanwhile. */
  async function endOfLease(name: string): Promise<number> {
    const { row } = await rig.api.runtime.projection.detail('default', name);
    expect(row.ended?.cause).toBe('expired');
    return row.ended?.at ?? 0;
  }

  test('has no effect if it is back in time', async () => {
    const { name, line, exec } = await newPlace();
    const waits = `while [ ! -e ${name}.go ]; do sleep 0.02; done`;
    const script = `echo $$ > ${name}.pid; ${waits}; echo done`;
    const { ended } = exec(['--lease', '15s'], script);
    await rig.written(`${name}.pid`);
    line.refuse();
    const before = await leaseEnd(name);
    // Longer than until the next renewal is due.
    await sleep(5_500);
    expect(await leaseEnd(name)).toBe(before);
    line.open();
    await expect.poll(() => leaseEnd(name), { timeout: 10_000 }).toBeGreaterThan(before + 500);
    writeFileSync(rig.path(`${name}.go`), '');
    expect(await ended).toMatchObject({ code: 0, out: 'done\n' });
  });

  test('and stays unreachable: a second signal ends only the wait for the release', async () => {
    const { name, line, exec } = await newPlace();
    const background = `sleep 60 > ${name}.out 2>&1 & echo $! > ${name}.pid`;
    const script = `${background}; while [ ! -e ${name}.go ]; do sleep 0.02; done; exit 4`;
    const { child, ended, said } = exec(['-v'], script);
    const left = Number(await rig.written(`${name}.pid`));
    line.silence();
    writeFileSync(rig.path(`${name}.go`), '');
    await said('the command ended with 4');
    // Two sent at once may arrive as one.
    const asking = setInterval(() => child.kill('SIGTERM'), 50);
    const ending = await ended;
    clearInterval(asking);
    expect(ending).toMatchObject({ code: 143, signal: null });
    expect(isAlive(left)).toBe(true);
    process.kill(left);
  });

  test('and stays unreachable: the exit code is the command’s, with a warning', async () => {
    const { name, line, exec } = await newPlace();
    const { ended } = exec(['--lease', '8s'], `echo $$ > ${name}.pid; sleep 0.4; exit 4`);
    await rig.written(`${name}.pid`);
    line.refuse();
    const { code, err } = await ended;
    expect(code).toBe(4);
    expect(err).toContain('not confirmed');
  });
});

describe.concurrent('with several addresses', () => {
  const servers = (line: TcpProxy) => ({
    LOCKYARD_URL: `http://127.0.0.1:${line.port},${rig.api.url}`,
  });

  test('the lease is renewed at the other server if one becomes unreachable', async () => {
    const { name, line, exec } = await newPlace();
    const waits = `while [ ! -e ${name}.go ]; do sleep 0.02; done`;
    const script = `echo "$LOCKYARD_URL" > ${name}.url; ${waits}; exit 3`;
    const { ended } = exec(['--lease', '9s'], script, { env: servers(line) });
    expect(await rig.written(`${name}.url`)).toBe(servers(line).LOCKYARD_URL);
    line.refuse();
    const before = await leaseEnd(name);
    while ((await leaseEnd(name)) < before + 500) await sleep(50);
    writeFileSync(rig.path(`${name}.go`), '');
    expect(await ended).toMatchObject({ code: 3 });
    expect(await rig.client.inspect({ name })).toMatchObject({ state: 'free' });
  });

  test.each(['refuse', 'silence'] as const)(
    'the first of which does not work from the start (%s), even --no-wait runs the command',
    async (how) => {
      const { line, exec } = await newPlace();
      line[how]();
      const { code, out, err } = await exec(['-n'], 'echo ran', { env: servers(line) }).ended;
      expect({ code, out }, err).toEqual({ code: 0, out: 'ran\n' });
    },
  );

  test('an invalid one is refused', async () => {
    const { name, exec } = await newPlace();
    const env = { LOCKYARD_URL: `${rig.api.url},` };
    const { code, err } = await exec([], 'echo ran', { env }).ended;
    expect(code).toBe(64);
    expect(err).toBe("lockyard: Entry 2 of Lockyard's URLs is empty.\n");
    for (const words of [['ls'], ['inspect', name]]) {
      expect(await rig.run(words, { env })).toMatchObject({ code: 64, out: '' });
    }
  });
});

describe.concurrent('a server that is unreachable at the start', () => {
  test.each([['refuse'], ['silence']] as const)(
    'is asked until patience is over, then reported with 69 (%s); the command never ran',
    async (how) => {
      const { line, exec } = await newPlace();
      line[how]();
      const { code, out, err } = await exec(['--wait', '1s'], 'echo ran').ended;
      expect({ code, out }).toEqual({ code: 69, out: '' });
      expect(err).toContain('no answer');
    },
  );

  test('is not waited for with --no-wait', async () => {
    const { exec } = await newPlace();
    const env = { LOCKYARD_URL: 'http://127.0.0.1:2' };
    const { code, err } = await exec(['-n'], 'echo ran', { env }).ended;
    expect(code).toBe(69);
    expect(err).toMatch(/Lockyard cannot be reached at http\S+ \(ECONNREFUSED\)\.\n$/);
  });

  test('is waited for until the wait times out', async () => {
    const { line, exec } = await newPlace();
    const late = createServer((socket) => {
      const far = connect(line.port, '127.0.0.1');
      socket.pipe(far).pipe(socket);
      for (const end of [socket, far]) end.on('error', () => {});
    });
    const port = await freePort();
    const env = { LOCKYARD_URL: `http://127.0.0.1:${port}` };
    const { ended, said } = exec(['--wait', '20s'], 'echo ran', { env });
    await said('not responding');
    late.listen(port, '127.0.0.1');
    const { code, out, err } = await ended;
    late.close();
    expect({ code, out }).toEqual({ code: 0, out: 'ran\n' });
    expect(err).toMatch(/not responding[\s\S]*responding again/);
  });
});

describe('an exec that is killed with SIGKILL', () => {
  test('ends its command and all that it started, before the lease expires', async () => {
    const options = [name, '--lease', '15s', '-k', '300ms', '-v'];
    const running = rig.exec(options, stubborn(name));
    const pids = await pidsOf(name, running);
    const { child, ended, said } = running;
    await said('the command runs');
    child.kill('SIGKILL');
    expect((await ended).signal).toBe('SIGKILL');
    await Promise.all(pids.map(untilGone));
    expect(await rig.client.inspect({ name })).toMatchObject({ state: 'held' });
  });

  test('leaves no guard process behind after a normal end', async () => {
    // A duration that no other test uses: other tests on this machine have guards too.
    const grace = `1.${10 + (process.pid % 90)}1`;
    await rig.exec([name, '-k', `${grace}s`], ':').ended;
    const everybody = () => execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' });
    await expect.poll(everybody).not.toContain(`lockyard-guard ${grace}`);
  });
});
