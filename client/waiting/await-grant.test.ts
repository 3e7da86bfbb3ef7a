import { describe, expect, test } from 'vitest';
import { granted, heldWork, outcomeOf, scriptedBench } from '../testing/scripted-bench';
import { until } from '../testing/test-clock';
import { type WithLockOptions, withLock } from '../with-lock';

const bench = scriptedBench();

/** Acquires the lock for work that ends immediately. */
function take(options: WithLockOptions = {}) {
  return outcomeOf(withLock('job', { client: bench.client, ...options }, (hold) => hold.token));
}

async function expectReleased() {
  (await bench.server.next('lock.release')).answer({ outcome: 'released' });
}

const held = {
  outcome: 'held',
  holders: [{ owner: 'other-1' }],
  queueLength: 3,
  retryAfterMs: 50,
};

describe('waiting', () => {
  test('asks again at once with the very same input while it is queued', async () => {
    const taken = take({ waitMs: 60_000 });
    const first = await bench.server.next('lock.acquire');
    expect(first.input).toMatchObject({ waitMs: 60_000, requestId: 'id-1' });
    bench.clock.advance(25_000);
    first.answer({ outcome: 'queued', ticket: 9, place: 2 });
    const second = await bench.server.next('lock.acquire');
    expect(second.input).toEqual(first.input);
    second.answer(granted());
    await expectReleased();
    expect(await taken).toBe(41);
  });

  test('does not besiege a server that answers queued at once because it shuts down', async () => {
    const taken = take({ waitMs: 60_000 });
    (await bench.server.next('lock.acquire')).answer({ outcome: 'queued', ticket: 9, place: 2 });
    await bench.clock.advanceOver(100);
    (await bench.server.next('lock.acquire')).answer(granted());
    await expectReleased();
    expect(await taken).toBe(41);
  });

  test('a full queue is retried until the wait times out', async () => {
    const taken = take({ waitMs: 2_000 });
    const full = { outcome: 'queueFull', queueLength: 200, retryAfterMs: 1_500 };
    (await bench.server.next('lock.acquire')).answer(full);
    await bench.clock.advanceOver(1_500);
    (await bench.server.next('lock.acquire')).answer(full);
    await bench.clock.advanceOver(500);
    (await bench.server.next('lock.acquire')).answer(full);
    expect(await taken).toMatchObject({ name: 'LockTimeout', queueLength: 200 });
    expect(bench.server.waitingCalls).toBe(0);
  });

  test('after a full queue the server ends the wait when its caller does', async () => {
    const taken = take({ waitMs: 20_000 });
    const full = { outcome: 'queueFull', queueLength: 200, retryAfterMs: 15_000 };
    (await bench.server.next('lock.acquire')).answer(full);
    await bench.clock.advanceOver(15_000);
    const second = await bench.server.next('lock.acquire');
    bench.clock.advance(Number(second.input.waitMs));
    second.answer({ ...held, outcome: 'timeout' });
    expect(await taken).toMatchObject({ name: 'LockTimeout', waitMs: 20_000, queueLength: 3 });
    expect(bench.server.waitingCalls).toBe(0);
  });

  test('what the server may know is asked again with the same input, however late', async () => {
    const taken = take({ waitMs: 20_000 });
    const refused = await bench.server.next('lock.acquire');
    refused.refuse(503, 'BACKEND_DOWN');
    await bench.clock.advanceOver(50);
    const unanswered = await bench.server.next('lock.acquire');
    unanswered.loseReply();
    await bench.clock.advanceOver(100);
    const again = await bench.server.next('lock.acquire');
    expect(again.input).toEqual(unanswered.input);
    expect(again.input).toEqual({ ...refused.input, waitMs: 19_950 });
    again.answer({ outcome: 'queued', ticket: 9, place: 2 });
    await bench.clock.advanceOver(100);
    const full = await bench.server.next('lock.acquire');
    full.answer({ outcome: 'queueFull', queueLength: 200, retryAfterMs: 1_000 });
    await bench.clock.advanceOver(1_000);
    const last = await bench.server.next('lock.acquire');
    expect(last.input).toEqual(again.input);
    last.answer(granted());
    await expectReleased();
    expect(await taken).toBe(41);
  });

  test('a grant whose wait used up its lease is renewed before the work begins', async () => {
    const work = heldWork();
    const ended = outcomeOf(withLock('job', { client: bench.client, leaseMs: 3_000 }, work.run));
    const call = await bench.server.next('lock.acquire');
    bench.clock.advance(20_000);
    call.answer(granted({ waitedMs: 20_000, expiresInMs: 3_000 }));
    const proof = await bench.server.next('lock.renew');
    expect(proof.input).toMatchObject({ token: 41, leaseMs: 3_000 });
    expect(work.hasStarted).toBe(false);
    proof.answer({ outcome: 'renewed', rev: 8, expiresAt: 1, expiresInMs: 3_000 });
    await work.started();
    expect(work.remainingMs()).toBe(2_968);
    work.finish('done');
    await expectReleased();
    expect(await ended).toBe('done');
  });

  test('an unanswered confirmation of a short lease is repeated until the lease ends', async () => {
    const taken = take({ leaseMs: 3_000 });
    const call = await bench.server.next('lock.acquire');
    bench.clock.advance(20_000);
    call.answer(granted({ waitedMs: 20_000, expiresInMs: 3_000 }));
    await bench.server.next('lock.renew');
    await bench.clock.advanceOver(1_000);
    await bench.clock.advanceOver(50);
    const again = await bench.server.next('lock.renew');
    again.answer({ outcome: 'renewed', rev: 8, expiresAt: 1, expiresInMs: 3_000 });
    await expectReleased();
    expect(await taken).toBe(41);
  });

  test('a confirmation that is answered when its lease may be over is repeated', async () => {
    const taken = take({ leaseMs: 300 });
    const call = await bench.server.next('lock.acquire');
    bench.clock.advance(20_000);
    call.answer(granted({ waitedMs: 20_000, expiresInMs: 300 }));
    const late = await bench.server.next('lock.renew');
    bench.clock.advance(400);
    late.answer({ outcome: 'renewed', rev: 8, expiresAt: 1, expiresInMs: 300 });
    await bench.clock.advanceOver(50);
    const again = await bench.server.next('lock.renew');
    again.answer({ outcome: 'renewed', rev: 9, expiresAt: 1, expiresInMs: 300 });
    await expectReleased();
    expect(await taken).toBe(41);
  });

  test('a grant that ended before the work began is requested again, with another id', async () => {
    const taken = take({ waitMs: 60_000, leaseMs: 3_000 });
    const first = await bench.server.next('lock.acquire');
    bench.clock.advance(9_000);
    first.answer(granted({ expiresInMs: 3_000 }));
    (await bench.server.next('lock.renew')).answer({ outcome: 'lost', cause: 'expired', at: 5 });
    const second = await bench.server.next('lock.acquire');
    expect(second.input.requestId).toBe('id-2');
    second.answer({ outcome: 'ended', token: 42, cause: 'expired' });
    const third = await bench.server.next('lock.acquire');
    expect(third.input.requestId).toBe('id-3');
    third.answer(granted({ token: 43, expiresInMs: 3_000 }));
    await expectReleased();
    expect(await taken).toBe(43);
  });
});

describe('a wait without a grant', () => {
  test.each(['held', 'timeout'])(
    '%s says who was in the way and leaves nothing to cancel',
    async (outcome) => {
      const taken = take({ waitMs: 0 });
      (await bench.server.next('lock.acquire')).answer({ ...held, outcome });
      const error = await taken;
      expect(error).toMatchObject({ name: 'LockTimeout', lock: 'job', queueLength: 3 });
      expect(String(error)).toContain('other-1 holds it');
      expect(bench.server.waitingCalls).toBe(0);
    },
  );

  test('a wait that times out while queued leaves the queue', async () => {
    const taken = take({ waitMs: 20_000 });
    const call = await bench.server.next('lock.acquire');
    bench.clock.advance(20_001);
    call.answer({ outcome: 'queued', ticket: 9, place: 2 });
    const cancel = await bench.server.next('lock.cancel');
    expect(cancel.input).toEqual({
      namespace: 'default',
      name: 'job',
      owner: 'me',
      requestId: 'id-1',
    });
    cancel.answer({ outcome: 'cancelled' });
    expect(await taken).toMatchObject({ name: 'LockTimeout', queueLength: null });
  });

  test('a caller that gives up hangs up, cancels, and gets its own reason', async () => {
    const caller = new AbortController();
    const taken = take({ waitMs: 60_000, signal: caller.signal });
    const call = await bench.server.next('lock.acquire');
    const reason = new Error('enough');
    caller.abort(reason);
    (await bench.server.next('lock.cancel')).answer({ outcome: 'released' });
    expect(await taken).toBe(reason);
    await until(() => call.isHungUp);
    expect(bench.clock.timerCount).toBe(0);
  });

  test('undoing a request takes at most 2 s, even if its last attempt begins late', async () => {
    const caller = new AbortController();
    const taken = take({ waitMs: 60_000, signal: caller.signal });
    await bench.server.next('lock.acquire');
    const reason = new Error('enough');
    caller.abort(reason);
    const first = await bench.server.next('lock.cancel');
    bench.clock.advance(1_900);
    first.loseReply();
    await bench.clock.advanceOver(50);
    await bench.server.next('lock.cancel');
    await bench.clock.advanceOver(50);
    expect(await taken).toBe(reason);
  });

  test('a call whose signal has aborted already sends no request', async () => {
    const reason = new Error('enough');
    expect(await take({ signal: AbortSignal.abort(reason) })).toBe(reason);
    expect(bench.server.waitingCalls).toBe(0);
  });

  test('a refusal that will not change is thrown at once', async () => {
    const taken = take();
    (await bench.server.next('lock.acquire')).refuse(403, 'FORBIDDEN');
    expect(await taken).toMatchObject({ name: 'LockyardError', reason: 'FORBIDDEN' });
    expect(bench.server.waitingCalls).toBe(0);
  });
});

describe('failures on the network', () => {
  test('after a lost reply, garbage or 503 the request is repeated with the same id', async () => {
    const taken = take({ waitMs: 0 });
    const first = await bench.server.next('lock.acquire');
    first.loseReply();
    await bench.clock.advanceOver(50);
    (await bench.server.next('lock.acquire')).reply(200, '}{');
    await bench.clock.advanceOver(100);
    (await bench.server.next('lock.acquire')).refuse(503, 'BACKEND_DOWN');
    await bench.clock.advanceOver(200);
    const last = await bench.server.next('lock.acquire');
    expect(last.input).toEqual(first.input);
    last.answer(granted());
    await expectReleased();
    expect(await taken).toBe(41);
  });

  test.each(['CONTENDED', 'RATE_LIMITED'])(
    'the hint of the server when to come back is heeded: %s',
    async (reason) => {
      const taken = take({ waitMs: 0 });
      (await bench.server.next('lock.acquire')).refuse(429, reason, { retryAfterMs: 3_000 });
      await until(() => bench.clock.nextDueMs === 3_000);
      bench.clock.advance(2_999);
      expect(bench.clock.timerCount).toBe(1);
      bench.clock.advance(1);
      (await bench.server.next('lock.acquire')).answer(granted());
      await expectReleased();
      expect(await taken).toBe(41);
    },
  );

  test('a limited call loses no place: the same request is repeated when allowed', async () => {
    const taken = take({ waitMs: 60_000 });
    const first = await bench.server.next('lock.acquire');
    bench.clock.advance(25_000);
    first.answer({ outcome: 'queued', ticket: 9, place: 2 });
    const limited = { retryAfterMs: 500 };
    (await bench.server.next('lock.acquire')).refuse(429, 'RATE_LIMITED', limited);
    await bench.clock.advanceOver(500);
    const last = await bench.server.next('lock.acquire');
    expect(last.input).toEqual(first.input);
    last.answer(granted());
    await expectReleased();
    expect(await taken).toBe(41);
  });

  test('retries end with the time budget; an unknown outcome is undone', async () => {
    const taken = take({ waitMs: 0 });
    (await bench.server.next('lock.acquire')).loseReply();
    await until(() => bench.clock.nextDueMs === 50);
    bench.clock.advance(4_990);
    (await bench.server.next('lock.acquire')).refuse(503, 'BACKEND_DOWN');
    (await bench.server.next('lock.cancel')).answer({ outcome: 'none' });
    expect(await taken).toMatchObject({ name: 'LockyardError', reason: 'BACKEND_DOWN' });
  });

  test('nothing is undone if certainly nothing was done', async () => {
    const taken = take({ waitMs: 40 });
    const call = await bench.server.next('lock.acquire');
    bench.clock.advance(5_000);
    call.refuse(503, 'BACKEND_DOWN');
    expect(await taken).toMatchObject({ reason: 'BACKEND_DOWN' });
    expect(bench.server.waitingCalls).toBe(0);
  });

  test('an id is never sent again 10 minutes after its last answer', async () => {
    const taken = take({ waitMs: 600_000 });
    const call = await bench.server.next('lock.acquire');
    bench.clock.advance(25_000);
    call.answer({ outcome: 'queued', ticket: 9, place: 2 });
    (await bench.server.next('lock.acquire')).loseReply();
    await until(() => bench.clock.nextDueMs === 50);
    bench.clock.freeze(600_001);
    bench.clock.advance(0);
    const error = await taken;
    expect(error).toMatchObject({ reason: 'UNKNOWN' });
    expect(String(error)).toContain('10 minutes');
    expect(bench.server.waitingCalls).toBe(0);
  });
});
