import { describe, expect, test, vi } from 'vitest';
import { freePort } from '@/scripts/system/free-port.mjs';
import { openFullPort } from '@/test/clients/full-port';
import { LockyardClient } from '../lockyard-client';
import { granted, outcomeOf, scriptedBench } from '../testing/scripted-bench';
import { until } from '../testing/test-clock';
import { canConnect } from '../wire/connection-probe';
import { withLock } from '../with-lock';
import { withLocks } from '../with-locks';

const bench = scriptedBench();

const take = (waitMs: number, client = bench.client) =>
  outcomeOf(withLock('job', { client, waitMs }, (hold) => hold.token));

/** The result of a call, and how long it took by the machine's clock. */
async function timed<T>(call: () => Promise<T>) {
  const startedAt = performance.now();
  const outcome = await call();
  return { outcome, tookMs: performance.now() - startedAt };
}

describe('when no connection can be made', () => {
  const refusing = async () =>
    new LockyardClient({ url: `http://127.0.0.1:${await freePort()}`, apiKey: 'k' });

  test.each([0, 1])('a wait of %i ms retries, and gives up within 1 s', async (waitMs) => {
    let failures = 0;
    const client = await refusing();
    client.settings.observer = { requestFailed: () => void failures++ };
    const { outcome, tookMs } = await timed(() => take(waitMs, client));
    expect(outcome).toMatchObject({ reason: 'BACKEND_DOWN', isUnreachable: true });
    expect(failures).toBeGreaterThan(1);
    expect(tookMs).toBeLessThan(3_000);
  });

  test('a longer wait continues until it times out', async () => {
    const client = await refusing();
    const { outcome, tookMs } = await timed(() => take(1_600, client));
    expect(outcome).toMatchObject({ reason: 'BACKEND_DOWN' });
    expect(tookMs).toBeGreaterThan(600);
  });

  test('a wait of 0 ms ends within 1 s too if packets are dropped, not refused', async () => {
    const full = await openFullPort();
    try {
      const client = new LockyardClient({ url: full.url, apiKey: 'k' });
      const { outcome, tookMs } = await timed(() => take(0, client));
      expect(outcome).toMatchObject({ reason: 'UNKNOWN', isUnreachable: true });
      expect(tookMs).toBeLessThan(3_000);
    } finally {
      full.close();
    }
  });

  test.each([0, 1])(
    'an address that never answers ends a wait of %i ms after 1 s too',
    async (waitMs) => {
      const { client, server, clock } = bench;
      const probe = vi.fn(async () => false);
      client.settings.canConnect = probe;
      const taken = take(waitMs);
      const call = await server.next('lock.acquire');
      clock.advance(599);
      expect(probe).not.toHaveBeenCalled();
      clock.advance(1);
      expect(probe).toHaveBeenCalledWith(bench.url, 400, clock);
      clock.advance(400);
      expect(await taken).toMatchObject({ reason: 'UNKNOWN', isUnreachable: true });
      // The request may have been sent over an open connection: it is undone, without delaying the
      // error.
      (await server.next('lock.cancel')).answer({ outcome: 'none' });
      await expect.poll(() => call.isHungUp).toBe(true);
    },
  );
});

describe('once it is connected', () => {
  test.each([0, 1])('a wait of %i ms allows the 5 s that the server may take', async (waitMs) => {
    const { client, server, clock } = bench;
    const probe = vi.fn(canConnect);
    client.settings.canConnect = probe;
    const taken = take(waitMs);
    const first = await server.next('lock.acquire');
    clock.advance(600);
    expect(await probe.mock.results[0]?.value).toBe(true);
    clock.advance(4_300);
    first.answer(granted({ waitedMs: 4_900 }));
    (await server.next('lock.release')).answer({ outcome: 'released' });
    expect(await taken).toBe(41);
  });

  test.each([0, 1])('a wait of %i ms retries for 5 s, and ends within 6 s', async (waitMs) => {
    const { server, clock } = bench;
    const taken = take(waitMs);
    (await server.next('lock.acquire')).refuse(503, 'BACKEND_DOWN');
    await expect.poll(() => clock.nextDueMs).toBe(50);
    clock.advance(4_900);
    await server.next('lock.acquire');
    clock.advance(1_099 + waitMs);
    expect(clock.timerCount).toBeGreaterThan(0);
    clock.advance(1);
    expect(await taken).toMatchObject({ reason: 'UNKNOWN', isUnreachable: false });
    // Undone, without delaying the error.
    (await server.next('lock.cancel')).answer({ outcome: 'none' });
  });
});

test('a wait may be a part of a millisecond, as one until a given instant is', async () => {
  const taken = take(1_500.25);
  const call = await bench.server.next('lock.acquire');
  expect(call.input.waitMs).toBe(1_501);
  call.answer(granted());
  (await bench.server.next('lock.release')).answer({ outcome: 'released' });
  expect(await taken).toBe(41);
});

describe('an unlimited wait', () => {
  test('restarts with another id when the service ends the wait', async () => {
    const { server, clock } = bench;
    const taken = take(Number.POSITIVE_INFINITY);
    for (const requestId of ['id-1', 'id-2', 'id-3']) {
      const call = await server.next('lock.acquire');
      expect(call.input).toMatchObject({ waitMs: 540_000, requestId });
      clock.advance(25_000);
      if (requestId !== 'id-3') {
        call.answer({ outcome: 'timeout', holders: [], queueLength: 2, retryAfterMs: 50 });
      } else {
        call.answer(granted({ waitedMs: 25_000 }));
      }
    }
    const lease = { expiresAt: 1_700_000_055_000, expiresInMs: 30_000 };
    (await server.next('lock.renew')).answer({ outcome: 'renewed', rev: 8, ...lease });
    (await server.next('lock.release')).answer({ outcome: 'released' });
    expect(await taken).toBe(41);
  });

  test.each([1_000, 300_000])(
    'waits in parts of %i ms if its namespace allows no longer ones',
    async (waitMaxMs) => {
      const { server } = bench;
      const taken = take(Number.POSITIVE_INFINITY);
      (await server.next('lock.acquire')).refuse(400, 'INVALID', { waitMaxMs });
      const first = await server.next('lock.acquire');
      first.answer({ outcome: 'timeout', holders: [], queueLength: 2, retryAfterMs: 50 });
      const second = await server.next('lock.acquire');
      expect([first.input, second.input]).toMatchObject([
        { waitMs: waitMaxMs, requestId: 'id-2' },
        { waitMs: waitMaxMs, requestId: 'id-3' },
      ]);
      second.answer(granted());
      (await server.next('lock.release')).answer({ outcome: 'released' });
      expect(await taken).toBe(41);
    },
  );

  test.each([
    ['allows hardly any wait', { waitMaxMs: 999 }],
    ['has refused another part of the request', {}],
  ])('ends where its namespace %s', async (_, facts) => {
    const taken = take(Number.POSITIVE_INFINITY);
    (await bench.server.next('lock.acquire')).refuse(400, 'INVALID', facts);
    expect(await taken).toMatchObject({ reason: 'INVALID', ...facts });
  });

  test('continues when a server is unreachable for longer than a part of the wait', async () => {
    const { server, clock } = bench;
    const taken = take(Number.POSITIVE_INFINITY);
    const call = await server.next('lock.acquire');
    clock.freeze(540_000);
    call.refuse(503, 'BACKEND_DOWN');
    (await server.next('lock.acquire')).answer(granted());
    (await server.next('lock.release')).answer({ outcome: 'released' });
    expect(await taken).toBe(41);
  });

  test('asks no sooner than the server says, also if its parts are shorter', async () => {
    const { server, clock } = bench;
    const taken = take(Number.POSITIVE_INFINITY);
    (await server.next('lock.acquire')).refuse(400, 'INVALID', { waitMaxMs: 1_000 });
    const full = { retryAfterMs: 5_000 };
    (await server.next('lock.acquire')).refuse(429, 'NAMESPACE_FULL', full);
    await until(() => clock.nextDueMs === 5_000);
    expect(server.waitingCalls).toBe(0);
    clock.advance(5_000);
    (await server.next('lock.acquire')).answer(granted());
    (await server.next('lock.release')).answer({ outcome: 'released' });
    expect(await taken).toBe(41);
  });

  test('ends with a refusal that will not change, and with its own signal', async () => {
    const { server, client } = bench;
    const refused = take(Number.POSITIVE_INFINITY);
    (await server.next('lock.acquire')).refuse(403, 'FORBIDDEN');
    expect(await refused).toMatchObject({ reason: 'FORBIDDEN' });

    const caller = new AbortController();
    const options = { client, waitMs: Number.POSITIVE_INFINITY, signal: caller.signal };
    const ended = outcomeOf(withLocks(['a', 'b'], options, () => 'never'));
    await server.next('lock.acquireMany');
    const reason = new Error('enough');
    caller.abort(reason);
    (await server.next('lock.cancelMany')).answer({ outcome: 'cancelled' });
    expect(await ended).toBe(reason);
  });
});
