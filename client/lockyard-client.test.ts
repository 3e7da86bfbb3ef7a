import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { freePort } from '@/scripts/system/free-port.mjs';
import { LockyardError } from './errors';
import { LockyardClient } from './lockyard-client';
import { processMeta } from './platform/process-meta';
import { granted, outcomeOf, scriptedBench } from './testing/scripted-bench';
import { until } from './testing/test-clock';
import { withLock } from './with-lock';

const bench = scriptedBench();

afterEach(() => vi.unstubAllEnvs());

describe('what is sent', () => {
  test('a command POSTs plain JSON with a bearer key; meta has host, pid and version', async () => {
    const answer = bench.client.acquire({ name: 'job', leaseMs: 5_000, meta: { task: 'a' } });
    const call = await bench.server.next('lock.acquire');
    expect(call.request.method).toBe('POST');
    expect(call.request.headers).toMatchObject({
      authorization: 'Bearer secret-key',
      'content-type': 'application/json',
    });
    expect(call.input).toEqual({
      namespace: 'default',
      name: 'job',
      owner: 'me',
      leaseMs: 5_000,
      meta: {
        ...processMeta(process.env),
        host: expect.any(String),
        pid: String(process.pid),
        version: expect.stringMatching(/^lockyard-client \d/),
        task: 'a',
      },
    });
    call.answer(granted());
    expect(await answer).toEqual(granted());
  });

  test('a query is a GET whose input survives every legal character', async () => {
    const name = 'job?&#%+/ "é\u{1f512}';
    const answer = bench.client.check({ namespace: 'pay', name, token: 5 });
    const call = await bench.server.next('lock.check');
    expect(call.request.method).toBe('GET');
    expect(call.input).toEqual({ namespace: 'pay', name, token: 5 });
    call.answer({ valid: true });
    expect(await answer).toEqual({ valid: true });
  });

  test('what JSON cannot express is refused before it is sent, and is not retried', async () => {
    const { client, server } = bench;
    const leaseMs = 10_000n as never;
    const refusal = { name: 'LockyardError', reason: 'INVALID' };
    expect(await outcomeOf(withLock('job', { client, leaseMs }, () => {}))).toMatchObject(refusal);
    const meta = { order: 7n as never };
    expect(await outcomeOf(withLock('job', { client, meta }, () => {}))).toMatchObject(refusal);
    expect(await outcomeOf(client.renew({ name: 'job', token: 1, leaseMs }))).toMatchObject(
      refusal,
    );
    expect(server.waitingCalls).toBe(0);
  });

  test.each([
    ['name', { name: 'a\ud800' }],
    ['name', { name: '\\\\\udfff' }],
    ['owner', { name: 'a', owner: '\udc00b' }],
    ['meta', { name: 'a', meta: { 'a\ud800': 'b' } }],
  ])(
    'text in %s that is not well-formed is refused before a request is sent',
    async (field, ask) => {
      const { client, server } = bench;
      expect(await outcomeOf(client.acquire({ leaseMs: 5_000, ...ask }))).toMatchObject({
        name: 'LockyardError',
        reason: 'INVALID',
        message: `${field}: must be well-formed Unicode`,
      });
      expect(server.waitingCalls).toBe(0);
    },
  );

  test('text that only looks like the escape of half a character is sent as it is', async () => {
    const name = 'job \\ud800 \\\\udfff \u{1f512}';
    const answer = bench.client.check({ name, token: 5 });
    const call = await bench.server.next('lock.check');
    expect(call.input).toMatchObject({ name });
    call.answer({ valid: true });
    await answer;
  });

  test('address and key come from the environment unless given', async () => {
    vi.stubEnv('LOCKYARD_URL', `${bench.url}/`);
    vi.stubEnv('LOCKYARD_API_KEY', 'from-environment');
    const answer = new LockyardClient({ clock: bench.clock }).inspect({ name: 'job' });
    const call = await bench.server.next('lock.inspect');
    expect(call.request.headers.authorization).toBe('Bearer from-environment');
    call.answer({ state: 'free' });
    expect(await answer).toEqual({ state: 'free' });
  });

  test('the key may come from a file, without the line break at its end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lockyard-key-'));
    try {
      const file = join(folder, 'key');
      writeFileSync(file, 'from-file\n');
      vi.stubEnv('LOCKYARD_API_KEY', '');
      vi.stubEnv('LOCKYARD_API_KEY_FILE', file);
      const answer = new LockyardClient({ url: bench.url, clock: bench.clock }).inspect({
        name: 'job',
      });
      const call = await bench.server.next('lock.inspect');
      expect(call.request.headers.authorization).toBe('Bearer from-file');
      call.answer({ state: 'free' });
      expect(await answer).toEqual({ state: 'free' });

      vi.stubEnv('LOCKYARD_API_KEY', 'from-environment');
      expect(() => new LockyardClient({ url: bench.url })).toThrow(/are both set/);
      vi.stubEnv('LOCKYARD_API_KEY', '');
      writeFileSync(file, '');
      expect(() => new LockyardClient({ url: bench.url })).toThrow(
        /LOCKYARD_API_KEY_FILE is empty/,
      );
      vi.stubEnv('LOCKYARD_API_KEY_FILE', join(folder, 'none'));
      expect(() => new LockyardClient({ url: bench.url })).toThrow(/cannot be read \(ENOENT\)/);
      expect(new LockyardClient({ url: bench.url, apiKey: 'given' }).settings.apiKey).toBe('given');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('the file of the key is read again once its key is refused', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lockyard-key-'));
    try {
      const file = join(folder, 'key');
      writeFileSync(file, 'old\n');
      vi.stubEnv('LOCKYARD_API_KEY', '');
      vi.stubEnv('LOCKYARD_API_KEY_FILE', file);
      const client = new LockyardClient({ url: bench.url, clock: bench.clock });
      const refuse = async (key: string) => {
        const call = await bench.server.next('lock.inspect');
        expect(call.request.headers.authorization).toBe(`Bearer ${key}`);
        call.refuse(401, 'UNAUTHENTICATED');
      };
      for (const unusable of ['old\n', '', 'no key\n']) {
        writeFileSync(file, unusable);
        const refused = outcomeOf(client.inspect({ name: 'job' }));
        await refuse('old');
        expect(await refused).toMatchObject({ reason: 'UNAUTHENTICATED' });
      }
      writeFileSync(file, 'new\n');
      const both = [1, 2].map(() => outcomeOf(client.inspect({ name: 'job' })));
      await refuse('old');
      await refuse('old');
      for (const _ of both) await refuse('new');
      for (const refused of both) expect(await refused).toMatchObject({ name: 'LockyardError' });
      expect(bench.server.waitingCalls).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test.each([
    [{ url: 'http://127.0.0.1:1' }, /apiKey.*LOCKYARD_API_KEY/],
    [{ apiKey: 'k' }, /url.*LOCKYARD_URL/],
    [{ url: 'redis://127.0.0.1', apiKey: 'k' }, /http or https/],
    [
      { url: 'http://127.0.0.1:1', apiKey: 'two\nlines' },
      /^The API key has characters that no key has\.$/,
    ],
  ])('%o is refused at once, in plain words', (options, message) => {
    vi.stubEnv('LOCKYARD_URL', '');
    vi.stubEnv('LOCKYARD_API_KEY', '');
    expect(() => new LockyardClient(options)).toThrow(message);
  });
});

describe('an unknown option', () => {
  const any = (input: object) => ({ name: 'job', ...input }) as never;

  test.each([
    ['acquire', 'lock.acquire'],
    ['acquireMany', 'lock.acquireMany'],
    ['renew', 'lock.renew'],
    ['release', 'lock.release'],
    ['cancel', 'lock.cancel'],
    ['cancelMany', 'lock.cancelMany'],
    ['inspect', 'lock.inspect'],
    ['list', 'lock.list'],
    ['check', 'lock.check'],
    ['createCounter', 'counter.create'],
    ['addToCounter', 'counter.add'],
    ['getCounter', 'counter.get'],
  ] as const)('is refused by %s before a request is sent', async (method, procedure) => {
    const { client, server } = bench;
    const call = (input: never, options?: never) =>
      outcomeOf<unknown>(client[method](input, options));
    const input = method === 'list' || method.endsWith('Many') ? ({} as never) : any({});
    expect(await call({ ...(input as object), leasems: 5 } as never)).toMatchObject({
      reason: 'INVALID',
      message: expect.stringMatching(`^${procedure} has no option \`leasems\`.*namespace`),
    });
    expect(await call(input, { timeout: 5 } as never)).toMatchObject({
      reason: 'INVALID',
      message: expect.stringMatching(
        `^The second argument of ${procedure} has no option .*timeoutMs`,
      ),
    });
    expect(server.waitingCalls).toBe(0);
  });

  test('is refused in a lock of a multi-lock too', async () => {
    const { client, server } = bench;
    const locks = [any({ leaseMs: 5 })];
    expect(await outcomeOf(client.acquireMany({ locks, leaseMs: 5 }))).toMatchObject({
      reason: 'INVALID',
      message: 'A lock of acquireMany has no option `leaseMs`. It has: mode, name.',
    });
    expect(server.waitingCalls).toBe(0);
  });
});

describe('replies that are not answers', () => {
  const failing = () => outcomeOf(bench.client.inspect({ name: 'job' }));

  test('a refusal is thrown with its reason, its hint and the id of the request', async () => {
    const failure = failing();
    (await bench.server.next('lock.inspect')).refuse(503, 'BACKEND_DOWN', { retryAfterMs: 700 });
    const error = await failure;
    expect(error).toBeInstanceOf(LockyardError);
    expect(error).toMatchObject({
      reason: 'BACKEND_DOWN',
      message: 'refused: BACKEND_DOWN',
      retryAfterMs: 700,
      requestId: 'req-1',
      isTransient: true,
    });
  });

  test.each([
    [200, 'garbage', 'UNKNOWN'],
    [200, '{"result":{}}', 'UNKNOWN'],
    [200, '', 'UNKNOWN'],
    [502, '<html>', 'UNKNOWN'],
    [503, '<html>', 'UNKNOWN'],
    [500, '{"error":{"data":{"reason":"constructor"}}}', 'UNKNOWN'],
    [404, '<html>', 'NOT_FOUND'],
    [401, '', 'UNAUTHENTICATED'],
    [302, '', 'INVALID'],
  ])('a reply of %i with %j is %s', async (status, text, reason) => {
    const failure = failing();
    (await bench.server.next('lock.inspect')).reply(status, text);
    expect(await failure).toMatchObject({ name: 'LockyardError', reason });
  });

  test('a lost reply is UNKNOWN, and nothing is sent twice', async () => {
    const failure = outcomeOf(bench.client.release({ name: 'job', token: 1 }));
    (await bench.server.next('lock.release')).loseReply();
    expect(await failure).toMatchObject({ reason: 'UNKNOWN' });
    expect(bench.server.waitingCalls).toBe(0);
  });

  test('a port without a listener is BACKEND_DOWN: the call never left', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const client = new LockyardClient({ url, apiKey: 'secret-key' });
    const error = await outcomeOf(client.inspect({ name: 'job' }));
    expect(error).toMatchObject({ reason: 'BACKEND_DOWN' });
    expect(String(error)).not.toContain('secret-key');
  });

  test('so is a port that fetch refuses, which is reported as such', async () => {
    const client = new LockyardClient({ url: 'http://127.0.0.1:6000', apiKey: 'k' });
    expect(await outcomeOf(client.list())).toMatchObject({
      reason: 'BACKEND_DOWN',
      isUnreachable: true,
      message: 'Lockyard cannot be reached at http://127.0.0.1:6000 (bad port).',
    });
  });

  test('so is a server that hangs up before the encryption begins', async () => {
    const closing = createServer((socket) => socket.once('data', () => socket.end()));
    await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(closing.address() as AddressInfo).port}`;
    const client = new LockyardClient({ url, apiKey: 'k' });
    const error = await outcomeOf(client.addToCounter({ name: 'stock', delta: 1 }));
    closing.close();
    expect(error).toMatchObject({ reason: 'BACKEND_DOWN', isUnreachable: true });
  });

  test('so is a host whose name is not resolved, whatever the name server says', async () => {
    const cause = Object.assign(new Error('refused'), { code: 'EAI_FAIL', syscall: 'getaddrinfo' });
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
    const client = new LockyardClient({ url: 'http://locks.example', apiKey: 'k', fetch });
    const error = await outcomeOf(client.addToCounter({ name: 'stock', delta: 1 }));
    expect(error).toMatchObject({ reason: 'BACKEND_DOWN', isUnreachable: true });
  });

  test('no answer within the time allowed is UNKNOWN, and the connection is closed', async () => {
    const failure = failing();
    const call = await bench.server.next('lock.inspect');
    bench.clock.advance(6_000);
    expect(await failure).toMatchObject({ reason: 'UNKNOWN' });
    await until(() => call.isHungUp);
    expect(bench.clock.timerCount).toBe(0);
  });

  test('a caller that gives up gets its own reason', async () => {
    const caller = new AbortController();
    const failure = outcomeOf(bench.client.inspect({ name: 'job' }, { signal: caller.signal }));
    await bench.server.next('lock.inspect');
    const reason = new Error('enough');
    caller.abort(reason);
    expect(await failure).toBe(reason);
  });
});
