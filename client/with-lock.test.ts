import { describe, expect, test } from 'vitest';
import type { Hold } from './holding/lock-hold';
import { granted, heldWork, outcomeOf, scriptedBench } from './testing/scripted-bench';
import { until } from './testing/test-clock';
import { type WithLockOptions, withLock } from './with-lock';

const bench = scriptedBench();

/** Work under a granted lock with a lease of 30 s. */
async function working(options: WithLockOptions = {}) {
  const work = heldWork();
  const ended = outcomeOf(withLock('job', { client: bench.client, ...options }, work.run));
  (await bench.server.next('lock.acquire')).answer(granted());
  await work.started();
  return { work, ended };
}

const renewed = { outcome: 'renewed', rev: 8, expiresAt: 1_700_000_040_000, expiresInMs: 30_000 };
const forced = { outcome: 'lost', cause: 'forced', at: 5, by: 'Ana', reason: 'stuck' };
const expired = { outcome: 'lost', cause: 'expired', at: 5 };

async function released(facts: object = { outcome: 'released' }) {
  const call = await bench.server.next('lock.release');
  call.answer(facts);
  return call;
}

describe('while the hold is valid', () => {
  test('many calls may share a signal: Node warns of no leak, and all are aborted', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const shutdown = new AbortController();
    const { signal } = shutdown;
    const calls: Awaited<ReturnType<typeof working>>[] = [];
    while (calls.length < 20) calls.push(await working({ signal }));
    shutdown.abort();
    for (const { work } of calls) {
      expect(work.isAborted).toBe(true);
      work.finish('ended early');
      await released();
    }
    await Promise.all(calls.map(({ ended }) => ended));
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  test('the work gets token, deadline and signal, and its result is returned', async () => {
    const { client } = bench;
    const ended = withLock('job', { client, namespace: 'pay' }, (hold) => ({ ...hold }));
    (await bench.server.next('lock.acquire')).answer(granted({ waitedMs: 3 }));
    const release = await released();
    expect(release.input).toMatchObject({ namespace: 'pay', owner: 'me', token: 41 });
    expect(release.input.requestId).not.toBe('id-1');
    expect(await ended).toMatchObject({
      namespace: 'pay',
      name: 'job',
      token: 41,
      waitedMs: 3,
      expiresAt: 1_700_000_030_000,
      signal: expect.any(AbortSignal),
    });
    expect(bench.clock.timerCount).toBe(0);
  });

  test('the lease covers a longer minimum hold time, and the call ends with the work', async () => {
    const { client, server } = bench;
    const ended = withLock('job', { client, holdAtLeastMs: 60_000 }, () => 'short');
    const call = await server.next('lock.acquire');
    expect(call.input).toMatchObject({ holdAtLeastMs: 60_000, leaseMs: 60_000 });
    call.answer(granted({ expiresInMs: 60_000 }));
    await released({ outcome: 'released', freesAt: 1_700_000_060_000, freesInMs: 59_000 });
    expect(await ended).toBe('short');
  });

  test('a hold that another call has released is lost, even if the lock is kept', async () => {
    const { work, ended } = await working({ holdAtLeastMs: 30_000 });
    bench.clock.advance(10_000);
    const kept = { outcome: 'released', freesAt: 1_700_000_030_000, freesInMs: 20_000 };
    (await bench.server.next('lock.renew')).answer(kept);
    await until(() => work.isAborted);
    work.finish('late');
    expect(await ended).toMatchObject({ name: 'LockLost', loss: { cause: 'released' } });
  });

  test('it is renewed at a third of the lease, counted from before sending', async () => {
    const { work, ended } = await working();
    expect(work.remainingMs()).toBe(30_000 - 302);
    bench.clock.advance(9_999);
    expect(bench.server.waitingCalls).toBe(0);
    bench.clock.advance(1);
    const first = await bench.server.next('lock.renew');
    expect(first.input).toMatchObject({ token: 41, owner: 'me', leaseMs: 30_000 });
    bench.clock.advance(400);
    first.answer(renewed);
    await until(() => work.remainingMs() === 30_000 - 302 - 400);
    bench.clock.advance(9_600);
    (await bench.server.next('lock.renew')).answer(renewed);
    work.finish('done');
    await released();
    expect(await ended).toBe('done');
  });

  test('a renewal that failed is soon retried, and the hold continues', async () => {
    const { work, ended } = await working();
    bench.clock.advance(10_000);
    (await bench.server.next('lock.renew')).refuse(503, 'BACKEND_DOWN');
    await bench.clock.advanceOver(50);
    (await bench.server.next('lock.renew')).loseReply();
    await bench.clock.advanceOver(100);
    (await bench.server.next('lock.renew')).answer(renewed);
    await until(() => work.remainingMs() === 30_000 - 302);
    expect(work.isAborted).toBe(false);
    work.finish('done');
    await released();
    expect(await ended).toBe('done');
  });

  test('a renewal that is to be retried only after the lease is retried within it', async () => {
    const { work, ended } = await working();
    bench.clock.advance(10_000);
    const late = { retryAfterMs: 60_000 };
    (await bench.server.next('lock.renew')).refuse(429, 'RATE_LIMITED', late);
    await bench.clock.advanceOver(5_000);
    (await bench.server.next('lock.renew')).answer(renewed);
    await until(() => work.remainingMs() === 30_000 - 302);
    expect(work.isAborted).toBe(false);
    work.finish('done');
    await released();
    expect(await ended).toBe('done');
  });

  test('a lease longer than its namespace has come to allow is renewed in time', async () => {
    const { client, clock, server } = bench;
    const work = heldWork();
    const ended = outcomeOf(withLock('job', { client, leaseMs: 3_600_000 }, work.run));
    (await server.next('lock.acquire')).answer(granted());
    const allowed = { ...renewed, expiresInMs: 60_000 };
    (await server.next('lock.renew')).answer(allowed);
    await work.started();
    for (let renewals = 0; renewals < 3; renewals++) {
      clock.advance(20_000);
      (await server.next('lock.renew')).answer(allowed);
      await until(() => work.remainingMs() === 60_000 - 602);
    }
    work.finish('done');
    await released();
    expect(await ended).toBe('done');
  });

  test('a slow answer to a renewal does not shorten the time already certain', async () => {
    const { work, ended } = await working();
    bench.clock.advance(10_000);
    const renewal = await bench.server.next('lock.renew');
    bench.clock.advance(3_000);
    renewal.answer({ ...renewed, expiresInMs: 4_000 });
    await until(() => bench.clock.nextDueMs <= 0);
    expect(work.remainingMs()).toBe(30_000 - 302 - 13_000);
    await bench.clock.advanceOver(0);
    (await bench.server.next('lock.renew')).answer(renewed);
    await until(() => work.remainingMs() === 30_000 - 302);
    expect(work.isAborted).toBe(false);
    work.finish('done');
    await released();
    expect(await ended).toBe('done');
  });

  test('a renewal of a short lease without an answer is repeated in time', async () => {
    const { client, server, clock } = bench;
    const work = heldWork();
    const ended = outcomeOf(withLock('job', { client, leaseMs: 900 }, work.run));
    (await server.next('lock.acquire')).answer(granted({ expiresInMs: 900 }));
    await work.started();
    clock.advance(300);
    const first = await server.next('lock.renew');
    await clock.advanceOver(300);
    await clock.advanceOver(50);
    const second = await server.next('lock.renew');
    expect(first.isHungUp).toBe(false);
    clock.advance(100);
    first.answer({ ...renewed, expiresInMs: 900 });
    await until(() => work.remainingMs() === 900 - 11 - 450);
    second.answer({ ...renewed, expiresInMs: 900 });
    await until(() => work.remainingMs() === 900 - 11 - 100);
    expect(work.isAborted).toBe(false);
    work.finish('done');
    await released();
    expect(await ended).toBe('done');
  });

  test('it is released when the work throws, and the error of the work is passed on', async () => {
    const { work, ended } = await working();
    const error = new Error('work failed');
    work.fail(error);
    await released();
    expect(await ended).toBe(error);
  });

  test('a caller that gives up aborts the work; the hold stays until the work ends', async () => {
    const caller = new AbortController();
    const { work, ended } = await working({ signal: caller.signal });
    const reason = new Error('enough');
    caller.abort(reason);
    expect(work.reason).toBe(reason);
    bench.clock.advance(10_000);
    (await bench.server.next('lock.renew')).answer(renewed);
    work.finish('tidied up');
    await released();
    expect(await ended).toBe('tidied up');
  });
});

describe('when the hold is lost', () => {
  test('a renewal answered with “lost” aborts the work, with who did it and why', async () => {
    const { work, ended } = await working();
    bench.clock.advance(10_000);
    (await bench.server.next('lock.renew')).answer(forced);
    await until(() => work.isAborted);
    expect(work.remainingMs()).toBe(0);
    work.finish('wrote something');
    const error = await ended;
    expect(error).toBe(work.reason);
    expect(error).toMatchObject({
      name: 'LockLost',
      lock: 'job',
      token: 41,
      loss: { cause: 'forced', by: 'Ana', reason: 'stuck', at: 5 },
    });
    expect(String(error)).toContain('force-released by Ana (stuck)');
    expect(bench.server.waitingCalls).toBe(0);
    expect(bench.clock.timerCount).toBe(0);
  });

  test('the error of the work is the cause of the reported loss', async () => {
    const { work, ended } = await working();
    bench.clock.advance(10_000);
    (await bench.server.next('lock.renew')).answer(forced);
    await until(() => work.isAborted);
    const error = new Error('could not write');
    work.fail(error);
    expect(await ended).toMatchObject({ name: 'LockLost', cause: error });
  });

  test('without answered renewals it is lost and released when its lease may be over', async () => {
    const { work, ended } = await working({ leaseMs: 30_000 });
    bench.clock.advance(10_000);
    (await bench.server.next('lock.renew')).refuse(401, 'UNAUTHENTICATED');
    await until(() => bench.clock.nextDueMs === 50);
    bench.clock.freeze(19_697);
    expect(work.remainingMs()).toBe(1);
    bench.clock.advance(1);
    await until(() => work.isAborted);
    expect(work.reason).toMatchObject({
      name: 'LockLost',
      loss: { cause: 'unrenewed' },
      cause: { reason: 'UNAUTHENTICATED' },
    });
    work.finish('ignored the signal');
    await released();
    expect(await ended).toMatchObject({ name: 'LockLost', loss: { cause: 'unrenewed' } });
  });

  test('a renewal that failed before one that succeeded is not the cause', async () => {
    const { work, ended } = await working();
    bench.clock.advance(10_000);
    (await bench.server.next('lock.renew')).refuse(503, 'BACKEND_DOWN');
    await bench.clock.advanceOver(50);
    (await bench.server.next('lock.renew')).answer(renewed);
    await until(() => work.remainingMs() === 30_000 - 302);
    bench.clock.freeze(30_000);
    work.finish('late');
    await released();
    expect(await ended).toMatchObject({ name: 'LockLost', cause: undefined });
  });

  test('an event loop that was blocked past the lease cannot finish unnoticed', async () => {
    const { work, ended } = await working();
    bench.clock.freeze(40_000);
    expect(work.remainingMs()).toBe(0);
    work.finish('too late');
    await released(expired);
    expect(await ended).toMatchObject({ name: 'LockLost', loss: { cause: 'unrenewed' } });
  });

  test('a lost release is not hidden behind finished work', async () => {
    const { work, ended } = await working();
    work.finish('done');
    await released(expired);
    expect(await ended).toMatchObject({ name: 'LockLost', loss: { cause: 'expired', at: 5 } });
  });
});

describe('when the release gets no answer', () => {
  test('it is sent again with the same id', async () => {
    const { work, ended } = await working();
    work.finish('done');
    const first = await bench.server.next('lock.release');
    first.loseReply();
    await bench.clock.advanceOver(50);
    const second = await released();
    expect(second.input).toEqual(first.input);
    expect(await ended).toBe('done');
  });

  test('an answer of something else, or a fault of the server, counts as none', async () => {
    const { work, ended } = await working();
    work.finish('done');
    const first = await bench.server.next('lock.release');
    first.reply(404, 'There is nothing here.');
    await bench.clock.advanceOver(50);
    const second = await bench.server.next('lock.release');
    second.refuse(500, 'INTERNAL');
    await bench.clock.advanceOver(100);
    const third = await released();
    expect([second.input, third.input]).toEqual([first.input, first.input]);
    expect(await ended).toBe('done');
  });

  test('finished work is reported as finished, with a release that is not confirmed', async () => {
    const { work, ended } = await working();
    work.finish('done');
    (await bench.server.next('lock.release')).loseReply();
    await until(() => bench.clock.nextDueMs === 50);
    bench.clock.advance(9_990);
    (await bench.server.next('lock.release')).loseReply();
    expect(await ended).toMatchObject({
      name: 'ReleaseUnconfirmed',
      token: 41,
      result: 'done',
      cause: { reason: 'UNKNOWN' },
    });
  });

  test('the error of the work comes first', async () => {
    const { work, ended } = await working();
    const error = new Error('work failed');
    work.fail(error);
    (await bench.server.next('lock.release')).refuse(401, 'UNAUTHENTICATED');
    expect(await ended).toBe(error);
  });
});

describe('messages of operators to a holder', () => {
  const remark = { by: 'Ana', reason: 'a deploy waits', at: 5 };
  const later = { ...remark, at: 6 };

  test('a release request reaches work and callback once, and the hold stays valid', async () => {
    const asked: unknown[] = [];
    const seen: { view?: Hold } = {};
    const { client, server, clock } = bench;
    const work = heldWork();
    const options = { client, onAskedToRelease: (notice: unknown) => asked.push(notice) };
    const ended = outcomeOf(
      withLock('job', options, (hold) => {
        seen.view = hold;
        return work.run(hold);
      }),
    );
    (await server.next('lock.acquire')).answer(granted());
    await work.started();
    clock.advance(10_000);
    (await server.next('lock.renew')).answer({ ...renewed, askedToRelease: remark });
    await until(() => asked.length > 0);
    await clock.advanceOver(10_000);
    (await server.next('lock.renew')).answer({ ...renewed, askedToRelease: later });
    await until(() => clock.nextDueMs === 10_000);
    expect(asked).toEqual([remark]);
    expect(seen.view?.askedToRelease.reason).toEqual(remark);
    expect(seen.view?.renewalsStopped).toBe(null);
    expect(work.isAborted).toBe(false);
    work.finish('done');
    await released();
    expect(await ended).toBe('done');
  });

  test('once its renewals are blocked the hold is valid no longer than was answered', async () => {
    const stopped: unknown[] = [];
    const { work, ended } = await working({ onRenewalsStopped: (notice) => stopped.push(notice) });
    bench.clock.advance(10_000);
    const notice = { ...renewed, expiresInMs: 3_000, renewalsStopped: remark };
    (await bench.server.next('lock.renew')).answer(notice);
    await until(() => stopped.length > 0);
    expect(work.remainingMs()).toBeLessThan(3_000);
    expect(stopped).toEqual([remark]);
    await bench.clock.advanceOver(1_000);
    (await bench.server.next('lock.renew')).answer({ ...notice, expiresInMs: 2_000 });
    bench.clock.advance(2_000);
    expect(work.reason).toMatchObject({ name: 'LockLost' });
    expect(work.remainingMs()).toBe(0);
    work.finish('late');
    await released({ outcome: 'lost', cause: 'expired', at: 7 });
    expect(await ended).toMatchObject({ name: 'LockLost' });
  });

  test('a listener of askedToRelease sees whether renewals are blocked', async () => {
    const { client, server, clock } = bench;
    const seen: unknown[] = [];
    const work = heldWork();
    const ended = outcomeOf(
      withLock('job', { client }, (hold) => {
        hold.askedToRelease.addEventListener('abort', () => {
          seen.push(hold.renewalsStopped);
          const onRenewalsStopped = () => seen.push('notice');
          void withLock('job', { client, onRenewalsStopped }, () => 'inner');
        });
        return work.run(hold);
      }),
    );
    (await server.next('lock.acquire')).answer(granted());
    await work.started();
    clock.advance(10_000);
    (await server.next('lock.renew')).answer({ ...renewed, renewalsStopped: remark });
    await until(() => seen.length > 1);
    await new Promise(setImmediate);
    expect(seen).toEqual([remark, 'notice']);
    work.finish('done');
    await released();
    expect(await ended).toBe('done');
  });

  test('a frozen lock is reported as such to callers that would not wait', async () => {
    const { client, server } = bench;
    const ended = outcomeOf(withLock('job', { client, waitMs: 0 }, () => 'never'));
    (await server.next('lock.acquire')).answer({ outcome: 'frozen', reason: 'a repair' });
    expect(await ended).toMatchObject({ name: 'LockTimeout', frozen: 'a repair' });
  });

  test('the mode is passed on', async () => {
    const { client, server } = bench;
    const ended = withLock('job', { client, mode: 'shared' }, () => 'read');
    const call = await server.next('lock.acquire');
    expect(call.input).toMatchObject({ mode: 'shared' });
    call.answer(granted());
    await released();
    expect(await ended).toBe('read');
  });
});
