import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser } from '@/server/operations/users/create-user';
import { ApiHarness } from '@/test/api-harness';
import { TcpProxy } from '@/test/tcp-proxy';

const examples = join(import.meta.dirname, '../docs/examples');
const PASSWORD = 'plough the seventh field';

interface Times {
  leaseMs?: number;
  waitMs?: number;
  workMs?: number;
}

interface Language {
  language: string;
  program: string;
  args: (name: string, times: Required<Times>) => string[];
}

const languages: Language[] = [
  {
    language: 'Python',
    program: 'python3',
    args: (name, { leaseMs, waitMs, workMs }) => [
      join(examples, 'lock.py'),
      ...[name, '--lease-ms', leaseMs, '--wait-ms', waitMs, '--work-ms', workMs].map(String),
    ],
  },
  {
    language: 'Java',
    program: 'java',
    args: (name, { leaseMs, waitMs, workMs }) => [
      '-XX:TieredStopAtLevel=1',
      join(examples, 'Lock.java'),
      ...[name, '--lease-ms', leaseMs, '--wait-ms', waitMs, '--work-ms', workMs].map(String),
    ],
  },
];

let api: ApiHarness;
let key: string;
let cookie: string;
/** How many requests asked for a lock. */
const asked = new Map<string, number>();

beforeAll(async () => {
  api = await ApiHarness.start();
  key = await api.key('guide');
  await createUser(api.cli, { name: 'ana', role: 'operator', password: PASSWORD });
  cookie = await api.signIn('ana', PASSWORD);
  const engine = api.runtime.engines.get('default');
  if (!engine) throw new Error('no engine');
  const acquire = engine.acquire.bind(engine);
  // So that even a short wait takes several requests with one id.
  engine.acquire = (at, ask, wait) => {
    asked.set(at.name, (asked.get(at.name) ?? 0) + 1);
    return acquire(at, ask, { ...wait, holdRequestMs: 300 });
  };
});
afterAll(() => api.close());

describe.each(languages)('the example in $language', ({ language, program, args }) => {
  const lock = (what: string) => `${language} "${what}" \\ ü`;

  /** Runs the example to its end. */
  async function run(name: string, times: Times, variables: Record<string, string> = {}) {
    const child = spawn(program, args(name, { leaseMs: 2_000, waitMs: 0, workMs: 100, ...times }), {
      env: {
        ...process.env,
        // By which Java reads its arguments.
        LC_ALL: 'C.UTF-8',
        LOCKYARD_URL: api.url,
        LOCKYARD_API_KEY: key,
        ...variables,
      },
    });
    const failed = once(child, 'error').then(([error]) => {
      throw new Error(`${program} is needed here; a whole \`npm test\` installs it: ${error}`);
    });
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    const [said, complained, [code]] = await Promise.race([ended, failed]);
    return { said: said.trim(), complained: complained.trim(), code: code as number };
  }

  const inspect = async (name: string) =>
    (await api.get(key, 'lock.inspect', { name })).data as {
      state: string;
      holders: { token: number }[];
      waiters: { ticket: number }[];
    };
  const hold = async (name: string) => {
    const ask = { name, owner: 'other', leaseMs: 60_000 };
    return (await api.post(key, 'lock.acquire', ask)).data?.token as number;
  };

  test('works for longer than its lease although a server becomes unreachable', async () => {
    const name = lock('works');
    const line = await TcpProxy.start('127.0.0.1', Number(new URL(api.url).port));
    const servers = { LOCKYARD_URL: `http://127.0.0.1:${line.port}, ${api.url}/` };
    const running = run(name, { leaseMs: 1_500, workMs: 3_500 }, servers);
    const state = async () => (await inspect(name)).state;
    await expect.poll(state, { timeout: 50_000 }).toBe('held');
    await line.close();
    const { said, complained, code } = await running;
    expect(complained).toBe('');
    expect(said).toMatch(/^granted, token \d+\nreleased$/);
    expect(code).toBe(0);
    expect(await inspect(name)).toMatchObject({ state: 'free', holders: [] });
  });

  test('says who holds the lock, at once or when its wait has timed out', async () => {
    const name = lock('held');
    await hold(name);
    expect(await run(name, {})).toMatchObject({ said: 'held: other', code: 75 });
    expect(await run(name, { waitMs: 700 })).toMatchObject({ said: 'timeout: other', code: 75 });
    expect((await inspect(name)).waiters).toEqual([]);
  });

  test('waits over several requests and keeps its place', async () => {
    const name = lock('waits');
    const token = await hold(name);
    const running = run(name, { waitMs: 60_000 });
    const tickets = async () => (await inspect(name)).waiters.map(({ ticket }) => ticket);
    await expect.poll(tickets, { timeout: 50_000 }).toHaveLength(1);
    const place = await tickets();
    await expect.poll(() => asked.get(name), { timeout: 50_000 }).toBeGreaterThan(3);
    expect(await tickets()).toEqual(place);
    await api.post(key, 'lock.release', { name, owner: 'other', token });
    expect(await running).toMatchObject({ code: 0, complained: '' });
    expect(await inspect(name)).toMatchObject({ state: 'free' });
  });

  test('does not flood a server that shuts down and therefore answers queued at once', async () => {
    let queued = 0;
    let until = 0;
    const server = createServer((req, res) => {
      req.resume();
      const now = performance.now();
      if (queued === 0) until = now + 1_000;
      const isEnding = req.url?.endsWith('lock.acquire') && now < until;
      if (isEnding) queued += 1;
      const lease = { token: 7, expiresInMs: 60_000, expiresAt: 1 };
      const outcome = req.url?.endsWith('lock.release') ? 'released' : 'granted';
      const data = isEnding ? { outcome: 'queued' } : { outcome, ...lease };
      res.end(JSON.stringify({ result: { data } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const waiting = { leaseMs: 60_000, waitMs: 30_000 };
    try {
      expect(await run(lock('ending'), waiting, { LOCKYARD_URL: url })).toMatchObject({ code: 0 });
      expect(queued).toBeLessThan(12);
      queued = 0;
      const both = { LOCKYARD_URL: `${url},${api.url}` };
      expect(await run(lock('left'), waiting, both)).toMatchObject({ code: 0 });
      // The first answer may be slow, while the program is still being loaded.
      expect(queued).toBeLessThan(4);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test('stops when it loses the lock', async () => {
    const name = lock('loses');
    const running = run(name, { workMs: 60_000 });
    const held = async () => (await inspect(name)).holders[0]?.token ?? 0;
    await expect.poll(held, { timeout: 50_000 }).toBeGreaterThan(0);
    const act = { namespace: 'default', name, token: await held(), rev: 0, reason: 'host is gone' };
    await api.console(cookie, 'locks.forceRelease', act, 'mutation', { origin: api.url });
    const { said, code } = await running;
    expect(said).toMatch(/\nlost: forced by ana$/);
    expect(code).toBe(1);
  });

  test('loses the lock if something that is not Lockyard answers its renewals', async () => {
    const granted = { outcome: 'granted', token: 7, expiresInMs: 3_000, expiresAt: 1 };
    const others = [
      { status: 200, body: 'Back soon.' },
      { status: 200, body: '{"result":{"data":null}}' },
      { status: 502, body: '{"error":"Bad Gateway"}' },
      { status: 502, body: '{"error":{"message":"upstream"}}' },
    ];
    let renewals = 0;
    const server = createServer((req, res) => {
      const isAcquire = req.url?.endsWith('lock.acquire');
      const grant = { status: 200, body: JSON.stringify({ result: { data: granted } }) };
      const { status, body } = isAcquire ? grant : (others[renewals++ % 4] ?? grant);
      req.resume();
      res.writeHead(status).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const variables = { LOCKYARD_URL: `http://127.0.0.1:${port}` };
    try {
      const ended = await run(lock('replaced'), { leaseMs: 3_000, workMs: 30_000 }, variables);
      expect(ended).toMatchObject({ code: 1, complained: '' });
      expect(ended.said).toMatch(/^granted, token 7\nlost: not renewed: .+$/);
      expect(renewals).toBeGreaterThan(others.length);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test('renews within a lease that is shorter than it asked for', async () => {
    let renewals = 0;
    const server = createServer((req, res) => {
      req.resume();
      const lost = { outcome: 'lost', cause: 'forced', by: 'ana', at: 1 };
      const lease = { token: 7, expiresInMs: 300, expiresAt: 1 };
      const outcome = req.url?.endsWith('lock.acquire') ? 'granted' : 'renewed';
      if (req.url?.endsWith('lock.renew')) renewals += 1;
      const data = renewals > 2 ? lost : { outcome, ...lease };
      res.end(JSON.stringify({ result: { data } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const variables = { LOCKYARD_URL: `http://127.0.0.1:${port}` };
    try {
      const ended = await run(lock('short'), { leaseMs: 60_000, workMs: 30_000 }, variables);
      expect(ended).toMatchObject({ complained: '', code: 1 });
      expect(ended.said).toMatch(/\nlost: forced by ana$/);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test('follows no redirect, by which another server would get its key', async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer((req, res) => {
      asked.push(req.url);
      req.resume();
      res.writeHead(302, { location: '/elsewhere' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const ended = await run(lock('moved'), {}, { LOCKYARD_URL: `http://127.0.0.1:${port}` });
      expect(ended).toMatchObject({ said: '', code: 69 });
      expect(asked).toContain('/api/v1/lock.acquire');
      expect(asked).not.toContain('/elsewhere');
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test('ends with 2 for a wrong configuration and with 69 without a server', async () => {
    const gone = { LOCKYARD_URL: 'http://127.0.0.1:1' };
    const [refused, keyless, unreachable, listed] = await Promise.all([
      run(lock('refused'), {}, { LOCKYARD_API_KEY: 'no-key' }),
      run(lock('keyless'), {}, { LOCKYARD_API_KEY: '' }),
      run(lock('unreachable'), {}, gone),
      run(lock('listed'), {}, { LOCKYARD_URL: `${api.url},` }),
    ]);
    expect(refused).toMatchObject({ complained: 'UNAUTHENTICATED: Invalid API key.', code: 2 });
    expect(keyless).toMatchObject({ said: '', code: 2 });
    expect(keyless.complained).toMatch(/LOCKYARD_API_KEY is not set; create a key: .+$/);
    expect(listed).toMatchObject({ said: '', code: 2 });
    expect(listed.complained).toMatch(/each URL in LOCKYARD_URL must begin with http/);
    expect(unreachable).toMatchObject({ said: '', code: 69 });
    expect(unreachable.complained).toMatch(/^.+$/);
    for (const { complained } of [keyless, unreachable, listed]) {
      expect(complained).not.toMatch(/Traceback|Exception in|^null$/);
    }
  });
});
