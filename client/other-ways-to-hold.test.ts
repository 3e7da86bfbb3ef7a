import { describe, expect, test } from 'vitest';
import { type AcquiredHold, acquireHold } from './acquire-hold';
import { LockTimeout } from './errors';
import { LockyardClient } from './lockyard-client';
import { granted, outcomeOf, scriptedBench } from './testing/scripted-bench';
import { until } from './testing/test-clock';
import { tryWithLock } from './try-with-lock';
import { withLock } from './with-lock';
import { withLocks } from './with-locks';

const bench = scriptedBench();

async function grant(facts: object = {}) {
  const call = await bench.server.next('lock.acquire');
  call.answer(granted(facts));
  return call;
}

async function release(answer: object = { outcome: 'released' }) {
  (await bench.server.next('lock.release')).answer(answer);
}

const held = {
  outcome: 'held',
  holders: [{ owner: 'other-1' }],
  queueLength: 3,
  retryAfterMs: 50,
};

describe('options', () => {
  /** As a JavaScript program passes them. */
  const any = (options: object) => options as never;

  test.each([
    ['withLock', (options: never) => withLock('job', options, () => 'never')],
    ['tryWithLock', (options: never) => tryWithLock('job', options, () => 'never')],
    ['acquireHold', (options: never) => acquireHold('job', options)],
    ['withLocks', (options: never) => withLocks(['a', 'b'], options, () => 'never')],
  ])('that %s does not have are refused before a request is sent', async (call, run) => {
    const { client, server } = bench;
    for (const wrong of [{ timeoutMs: 5 }, { waitms: 0 }, { toString: 1 }]) {
      const [name] = Object.keys(wrong);
      const error = await outcomeOf(run(any({ client, ...wrong })) as Promise<unknown>);
      expect(error).toMatchObject({
        reason: 'INVALID',
        message: expect.stringMatching(`^${call} has no option \`${name}\`.*waitMs`),
      });
    }
    for (const waitMs of [-1, Number.NaN, '5s', null]) {
      const error = await outcomeOf(run(any({ client, waitMs })) as Promise<unknown>);
      expect(error, String(waitMs)).toMatchObject({ reason: 'INVALID' });
    }
    for (const options of ['5s', 7, null, []]) {
      const error = await outcomeOf(run(options as never) as Promise<unknown>);
      expect(error).toMatchObject({ message: `The options of ${call} must be an object.` });
    }
    expect(server.waitingCalls).toBe(0);
  });

  test('of one lock are not options of several, where each lock has only its mode', async () => {
    const { client, server } = bench;
    const shared = withLocks(['a', 'b'], any({ client, mode: 'shared' }), () => 'never');
    expect(String(await outcomeOf(shared))).toContain('withLocks has no option `mode`');
    const part = withLocks([any({ name: 'a', leaseMs: 5 }), 'b'], { client }, () => 'never');
    expect(String(await outcomeOf(part))).toContain('has no option `leaseMs`');
    expect(server.waitingCalls).toBe(0);
  });

  test('of a client are refused when it is made', () => {
    const options = any({ url: bench.url, apikey: 'k' });
    expect(() => new LockyardClient(options)).toThrow('LockyardClient has no option `apikey`');
  });

  test('may be left out, but the work may not', async () => {
    const { LOCKYARD_URL, LOCKYARD_API_KEY } = process.env;
    Object.assign(process.env, { LOCKYARD_URL: bench.url, LOCKYARD_API_KEY: 'k' });
    try {
      const ended = withLock('job', ({ token }) => token);
      const call = await grant();
      await release();
      expect(await ended).toBe(41);
      // The client has the real clock, and has waited for a moment already.
      const { name, waitMs } = call.input;
      expect([name, Math.ceil(Number(waitMs) / 1_000)]).toEqual(['job', 60]);
      const idle = outcomeOf(withLock('job', any({})));
      expect(String(await idle)).toContain('withLock needs a function');
      expect(bench.server.waitingCalls).toBe(0);
    } finally {
      for (const [name, value] of Object.entries({ LOCKYARD_URL, LOCKYARD_API_KEY })) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });
});

test('a generator is no work: it would run only once the lock is released', async () => {
  const { client, server } = bench;
  const generators: (() => unknown)[] = [
    async function* () {
      yield 1;
    },
    function* () {
      yield 1;
    },
  ];
  for (const work of generators) {
    const calls: Promise<unknown>[] = [
      withLock('job', { client }, work),
      tryWithLock('job', { client }, work),
      withLocks(['a', 'b'], { client }, work),
    ];
    for (const call of calls) {
      const refused = { reason: 'INVALID', message: expect.stringContaining('a generator') };
      expect(await outcomeOf(call)).toMatchObject(refused);
    }
  }
  expect(server.waitingCalls).toBe(0);
});

test('work that returns a generator is refused: that would run without the lock', async () => {
  const { client, server } = bench;
  async function* rows() {
    yield 1;
  }
  const refused = outcomeOf(withLock('job', { client }, () => rows()));
  (await server.next('lock.acquire')).answer(granted());
  (await server.next('lock.release')).answer({ outcome: 'released' });
  const why = { reason: 'INVALID', message: expect.stringContaining('a generator') };
  expect(await refused).toMatchObject(why);
});

describe('tryWithLock', () => {
  test('does the work if the lock is free', async () => {
    const tried = tryWithLock('job', { client: bench.client }, ({ token }) => token);
    expect((await grant()).input).toMatchObject({ waitMs: 0 });
    await release();
    expect(await tried).toEqual({ outcome: 'done', value: 41 });
  });

  test('answers who holds it otherwise, or why it is frozen', async () => {
    const { client, server } = bench;
    const tried = tryWithLock('job', { client }, () => 'never');
    (await server.next('lock.acquire')).answer(held);
    expect(await tried).toEqual({ outcome: 'held', holders: held.holders, frozen: null });
    const frozen = tryWithLock('job', { client }, () => 'never');
    (await server.next('lock.acquire')).answer({ outcome: 'frozen', reason: 'a repair' });
    expect(await frozen).toEqual({ outcome: 'held', holders: [], frozen: 'a repair' });
  });

  test('waits if asked to', async () => {
    const { client, server } = bench;
    const tried = tryWithLock('job', { client, waitMs: 900 }, () => 'never');
    const call = await server.next('lock.acquire');
    expect(call.input).toMatchObject({ waitMs: 900 });
    call.answer({ ...held, outcome: 'timeout' });
    expect(await tried).toMatchObject({ outcome: 'held' });
  });

  test('an error of the work stays one, even a LockTimeout; so does a failure', async () => {
    const { client, server } = bench;
    const inner = new LockTimeout('inner', 0, { holders: [], queueLength: null, frozen: null });
    const tried = outcomeOf(tryWithLock('job', { client }, () => Promise.reject(inner)));
    await grant();
    await release();
    expect(await tried).toBe(inner);
    const refused = outcomeOf(tryWithLock('job', { client }, () => 'never'));
    (await server.next('lock.acquire')).refuse(403, 'FORBIDDEN');
    expect(await refused).toMatchObject({ reason: 'FORBIDDEN' });
  });
});

describe('acquireHold', () => {
  test('is renewed until its block ends, then released once', async () => {
    const { client, server, clock } = bench;
    const seen: number[] = [];
    let isRenewed = false;
    const block = async () => {
      await using hold = await acquireHold('job', { client });
      seen.push(hold.token, hold.expiresAt);
      clock.advance(10_000);
      const renewal = await server.next('lock.renew');
      renewal.answer({ outcome: 'renewed', rev: 8, expiresAt: 77, expiresInMs: 30_000 });
      await until(() => hold.expiresAt === 77);
      isRenewed = true;
      return 'done';
    };
    const ended = block();
    await grant();
    await until(() => isRenewed);
    await release();
    expect(await ended).toBe('done');
    expect(seen).toEqual([41, 1_700_000_030_000]);
    expect(server.waitingCalls).toBe(0);
    expect(clock.timerCount).toBe(0);
  });

  test('is released by hand, once, however often it is asked to', async () => {
    const acquired = acquireHold('job', { client: bench.client });
    await grant();
    const hold = await acquired;
    const both = Promise.all([hold.release(), hold.release(), hold[Symbol.asyncDispose]()]);
    await release();
    await both;
    expect(hold.remainingMs()).toBe(0);
    expect(bench.server.waitingCalls).toBe(0);
  });

  test('a loss aborts its signal at once, and is what its release rejects with', async () => {
    const { client, server, clock } = bench;
    const acquired = acquireHold('job', { client });
    await grant();
    const hold: AcquiredHold = await acquired;
    clock.advance(10_000);
    const lost = { outcome: 'lost', cause: 'forced', at: 5, by: 'Ana', reason: 'stuck' };
    (await server.next('lock.renew')).answer(lost);
    await until(() => hold.signal.aborted);
    expect(await outcomeOf(hold.release())).toMatchObject({
      name: 'LockLost',
      loss: { cause: 'forced', by: 'Ana' },
    });
  });

  test('rejects like withLock if nothing is granted', async () => {
    const { client, server } = bench;
    const acquired = outcomeOf(acquireHold('job', { client, waitMs: 0 }));
    (await server.next('lock.acquire')).answer(held);
    expect(await acquired).toMatchObject({ name: 'LockTimeout' });
  });

  test('within work under the same lock it joins that hold, and sends nothing', async () => {
    const { client, server } = bench;
    const ended = withLock('job', { client }, async ({ token }) => {
      await using inner = await acquireHold('job', { client });
      return inner.token === token;
    });
    await grant();
    await release();
    expect(await ended).toBe(true);
    expect(server.waitingCalls).toBe(0);
  });
});
