import dns from 'node:dns';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LockyardClient } from './lockyard-client';
import { granted, heldWork, outcomeOf } from './testing/scripted-bench';
import { type ScriptedCall, ScriptedServer } from './testing/scripted-server';
import { TestClock, until } from './testing/test-clock';
import { withLock } from './with-lock';

let one: ScriptedServer;
let two: ScriptedServer;
let urls: { one: string; two: string };
let clock: TestClock;
let client: LockyardClient;

beforeEach(async () => {
  [one, two, clock] = [new ScriptedServer(), new ScriptedServer(), new TestClock()];
  urls = { one: await one.open(), two: await two.open() };
  client = clientOf(`${urls.one},${urls.two}`);
});
afterEach(() => {
  vi.restoreAllMocks();
  return Promise.all([one.close(), two.close()]);
});

function clientOf(url: string, options: object = {}) {
  let ids = 0;
  const chance = { fraction: () => 0, id: () => `id-${++ids}` };
  return new LockyardClient({ url, apiKey: 'k', owner: 'me', clock, chance, ...options });
}

const inspect = () => outcomeOf(client.inspect({ name: 'job' }));

async function answerInspect(server: ScriptedServer) {
  (await server.next('lock.inspect')).answer({ state: 'free' });
}

describe('a single request', () => {
  test('goes to the first address, for as long as that works', async () => {
    for (let round = 0; round < 3; round++) {
      const asked = inspect();
      await answerInspect(one);
      expect(await asked).toEqual({ state: 'free' });
    }
    expect(two.waitingCalls).toBe(0);
  });

  test('goes to the next if it cannot connect, and later requests begin there', async () => {
    await one.close();
    const failed: string[] = [];
    client.settings.observer = {
      requestFailed: ({ url, reason }) => failed.push(`${url} ${reason}`),
    };
    for (const round of [1, 2]) {
      const asked = outcomeOf(client.addToCounter({ name: `n${round}`, delta: 1 }));
      (await two.next('counter.add')).answer({ outcome: 'applied', value: round, rev: 1 });
      expect(await asked).toMatchObject({ value: round });
    }
    expect(failed).toEqual([`${urls.one} BACKEND_DOWN`]);
  });

  test('goes to the next also if none of the addresses of a host name can be reached', async () => {
    const lookup = dns.lookup as (...words: unknown[]) => void;
    const found = (name: string, options: object, answer: (...words: unknown[]) => void) => {
      if (name !== 'locks.test') return lookup(name, options, answer);
      // The first is in a range without a route, the second has no listener at its port.
      answer(null, [
        { address: '2001:db8::1', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ]);
    };
    vi.spyOn(dns, 'lookup').mockImplementation(found as typeof dns.lookup);
    await one.close();
    client = clientOf(`http://locks.test:${new URL(urls.one).port},${urls.two}`);
    const added = outcomeOf(client.addToCounter({ name: 'n', delta: 1 }));
    (await two.next('counter.add')).answer({ outcome: 'applied', value: 1, rev: 1 });
    expect(await added).toMatchObject({ value: 1 });
  });

  test('is not repeated elsewhere once it may have arrived; the next is sent there', async () => {
    const added = outcomeOf(client.addToCounter({ name: 'n', delta: 1, requestId: 'r' }));
    (await one.next('counter.add')).loseReply();
    expect(await added).toMatchObject({ reason: 'UNKNOWN' });
    expect(two.waitingCalls).toBe(0);
    const asked = inspect();
    await answerInspect(two);
    expect(await asked).toEqual({ state: 'free' });
  });

  test.each([
    [503, 'BACKEND_DOWN', true],
    [504, 'UNKNOWN', true],
    [429, 'RATE_LIMITED', false],
    [429, 'CONTENDED', false],
    [403, 'FORBIDDEN', false],
  ])(
    'that is refused with %i %s makes later ones begin elsewhere: %s',
    async (status, reason, moves) => {
      const refused = inspect();
      (await one.next('lock.inspect')).refuse(status, reason);
      expect(await refused).toMatchObject({ reason });
      const asked = inspect();
      await answerInspect(moves ? two : one);
      await asked;
    },
  );

  test.each([302, 404, 403])('that something else answers with %i does too', async (status) => {
    const refused = inspect();
    (await one.next('lock.inspect')).reply(status, 'Not here.');
    expect(await refused).toMatchObject({ isForeign: true });
    const asked = inspect();
    await answerInspect(two);
    await asked;
  });

  test('rejects when all addresses refused the connection, having tried each once', async () => {
    await Promise.all([one.close(), two.close()]);
    let failures = 0;
    client.settings.observer = { requestFailed: () => void failures++ };
    expect(await inspect()).toMatchObject({
      reason: 'BACKEND_DOWN',
      isUnreachable: true,
      message: 'Lockyard cannot be reached at any of 2 addresses.',
    });
    expect(failures).toBe(2);
    expect(clock.timerCount).toBe(0);
  });
});

describe('a wait', () => {
  const take = (waitMs: number) => {
    const work = heldWork();
    const taken = outcomeOf(withLock('job', { client, waitMs }, work.run));
    /** Grants a request of the wait, and answers the release at the same server. */
    const finishAt = async (server: ScriptedServer, request: ScriptedCall) => {
      request.answer(granted());
      await work.started();
      work.finish('done');
      (await server.next('lock.release')).answer({ outcome: 'released' });
      expect(await taken).toBe('done');
    };
    return { taken, finishAt };
  };

  test('moves with its request once its server is unreachable; the hold stays there', async () => {
    const { finishAt } = take(60_000);
    const first = await one.next('lock.acquire');
    await one.close();
    await clock.advanceOver(50);
    const second = await two.next('lock.acquire');
    expect(second.input).toEqual(first.input);
    await finishAt(two, second);
  });

  test('moves when its server shuts down, which answers at once', async () => {
    const { finishAt } = take(60_000);
    const first = await one.next('lock.acquire');
    first.answer({ outcome: 'queued', ticket: 1, place: 1, patienceLeftMs: 60_000 });
    await clock.advanceOver(100);
    const second = await two.next('lock.acquire');
    expect(second.input).toEqual(first.input);
    await finishAt(two, second);
  });

  test('stays when its server only answers that the wait goes on', async () => {
    const { finishAt } = take(60_000);
    const first = await one.next('lock.acquire');
    clock.advance(25_000);
    first.answer({ outcome: 'queued', ticket: 1, place: 1, patienceLeftMs: 35_000 });
    await finishAt(one, await one.next('lock.acquire'));
  });

  test('moves if its server stops responding, but not from one that answers a probe', async () => {
    const { finishAt } = take(60_000);
    const first = await one.next('lock.acquire');
    clock.advance(1_000);
    await until(() => one.looks === 1);
    await expect.poll(() => clock.nextDueMs).toBe(4_000);
    one.isSilent = true;
    clock.advance(4_000);
    await until(() => one.looks === 2);
    clock.advance(2_000);
    await until(() => first.isHungUp);
    await clock.advanceOver(50);
    const second = await two.next('lock.acquire');
    expect(second.input).toEqual(first.input);
    await finishAt(two, second);
    expect(clock.timerCount).toBe(0);
  });

  test('of 0 ms tries each address within its second, with one request', async () => {
    const probe = vi.fn(async () => false);
    client.settings.canConnect = probe;
    const { finishAt } = take(0);
    const first = await one.next('lock.acquire');
    clock.advance(300);
    expect(probe).toHaveBeenCalledWith(urls.one, 200, clock);
    const second = await two.next('lock.acquire');
    expect(second.input).toEqual(first.input);
    await finishAt(two, second);
  });

  test('of 0 ms ends within its second when no address can be reached', async () => {
    client.settings.canConnect = async () => false;
    const { taken } = take(0);
    await one.next('lock.acquire');
    clock.advance(500);
    await two.next('lock.acquire');
    clock.advance(500);
    expect(await taken).toMatchObject({ reason: 'UNKNOWN', isUnreachable: true });
  });
});

test('a hold is renewed and released at the remaining address', async () => {
  const work = heldWork();
  const ended = outcomeOf(withLock('job', { client, leaseMs: 9_000 }, work.run));
  (await one.next('lock.acquire')).answer(granted({ expiresInMs: 9_000 }));
  await work.started();
  await one.close();
  clock.advance(3_000);
  const renewal = await two.next('lock.renew');
  expect(renewal.input).toMatchObject({ name: 'job', owner: 'me', token: 41 });
  renewal.answer({ outcome: 'renewed', rev: 8, expiresAt: 9, expiresInMs: 9_000 });
  await until(() => work.remainingMs() > 8_000);
  work.finish('done');
  (await two.next('lock.release')).answer({ outcome: 'released' });
  expect(await ended).toBe('done');
  expect(work.isAborted).toBe(false);
});

test('a list of addresses with an invalid entry is refused when the client is made', () => {
  expect(() => clientOf(`${urls.one},`)).toThrow("Entry 2 of Lockyard's URLs is empty.");
});
