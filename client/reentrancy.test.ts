import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { LockUpgradeRefused } from './errors';
import type { Hold } from './holding/lock-hold';
import { LockyardClient } from './lockyard-client';
import { granted, heldWork, outcomeOf, scriptedBench } from './testing/scripted-bench';
import { until } from './testing/test-clock';
import { type WithLockOptions, withLock } from './with-lock';

const bench = scriptedBench();

const renewed = { outcome: 'renewed', rev: 8, expiresAt: 1_700_000_040_000, expiresInMs: 30_000 };
const remark = { by: 'Ana', reason: 'a deploy waits', at: 5 };

/** The lock `job` of the bench's client. */
function job<T>(options: WithLockOptions, work: (hold: Hold) => Promise<T> | T) {
  return withLock('job', { client: bench.client, ...options }, work);
}

async function grantNext(facts: Parameters<typeof granted>[0] = {}) {
  const call = await bench.server.next('lock.acquire');
  call.answer(granted(facts));
  return call;
}

async function releaseNext() {
  const call = await bench.server.next('lock.release');
  call.answer({ outcome: 'released' });
  return call;
}

/** A promise that the test settles. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe('within work under the same lock', () => {
  test("an inner call runs at once, without a request, with the outer hold's token", async () => {
    const ended = job({}, async (outer) => {
      const inner = await job({ leaseMs: 1, waitMs: 0 }, (hold) => ({ ...hold }));
      expect(inner).toMatchObject({ name: 'job', token: outer.token, waitedMs: 0 });
      expect(inner.expiresAt).toBe(outer.expiresAt);
      expect(bench.server.waitingCalls).toBe(0);
      return job({}, (middle) => job({}, (hold) => [middle.token, hold.token]));
    });
    await grantNext();
    await releaseNext();
    expect(await ended).toEqual([41, 41]);
    expect(bench.server.waitingCalls).toBe(0);
  });

  test('inner calls work through timers, other locks and concurrent calls', async () => {
    const ended = job({}, async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return withLock('other', { client: bench.client }, () =>
        Promise.all([job({}, ({ token }) => token), job({}, ({ token }) => token)]),
      );
    });
    await grantNext({ token: 41 });
    const other = await grantNext({ token: 7 });
    expect(other.input).toMatchObject({ name: 'other' });
    expect((await releaseNext()).input).toMatchObject({ name: 'other', token: 7 });
    expect((await releaseNext()).input).toMatchObject({ name: 'job', token: 41 });
    expect(await ended).toEqual([41, 41]);
  });

  test('an error of the inner work is passed on, and the outer hold continues', async () => {
    const error = new Error('inner failed');
    const ended = job({}, async (hold) => {
      const inner = job({}, () => {
        throw error;
      });
      expect(await outcomeOf(inner)).toBe(error);
      expect(hold.signal.aborted).toBe(false);
      return 'outer done';
    });
    await grantNext();
    await releaseNext();
    expect(await ended).toBe('outer done');
  });

  test.each<[Partial<WithLockOptions>, Partial<WithLockOptions>]>([
    [{ mode: 'shared' }, { mode: 'shared' }],
    [{ mode: 'exclusive' }, { mode: 'shared' }],
    [{ mode: 'exclusive' }, { mode: 'permit', permits: 3, capacity: 5 }],
    [
      { mode: 'permit', permits: 3, capacity: 5 },
      { mode: 'permit', permits: 3, capacity: 5 },
    ],
    [{ owner: 'me too' }, {}],
    [{ owner: 'me too' }, { owner: 'me too' }],
    [{ namespace: 'pay' }, { namespace: 'pay' }],
  ])('an outer call with %o covers an inner one with %o', async (outer, inner) => {
    const ended = job(outer, () => job(inner, ({ token }) => token));
    await grantNext();
    await releaseNext();
    expect(await ended).toBe(41);
  });

  test.each<[string, () => WithLockOptions]>([
    ['another client', () => ({ client: otherClient() })],
    ['another namespace', () => ({ namespace: 'pay' })],
    ['another owner', () => ({ owner: 'another owner' })],
    ['a hold of its own', () => ({ ownHold: true })],
  ])('%s asks the service', async (_, options) => {
    const ended = job({}, () => job(options(), ({ token }) => token));
    await grantNext({ token: 41 });
    await grantNext({ token: 42 });
    expect((await releaseNext()).input).toMatchObject({ token: 42 });
    expect((await releaseNext()).input).toMatchObject({ token: 41 });
    expect(await ended).toBe(42);
  });

  test.each<[Partial<WithLockOptions>, Partial<WithLockOptions>]>([
    [
      { mode: 'permit', capacity: 5 },
      { mode: 'permit', permits: 2, capacity: 5 },
    ],
    [{ mode: 'permit', capacity: 5 }, { mode: 'shared' }],
    [{ mode: 'permit', capacity: 5 }, {}],
    [{ mode: 'shared' }, { mode: 'permit', capacity: 5 }],
  ])('within %o, %o is refused at once, since it would wait for itself', async (outer, inner) => {
    const ended = job(outer, () => job(inner, () => 'never'));
    await grantNext();
    await releaseNext();
    expect(await outcomeOf(ended)).toBeInstanceOf(LockUpgradeRefused);
  });

  test('exclusive within shared is refused at once, since it would wait for itself', async () => {
    const ended = job({ mode: 'shared' }, async () => {
      const inner = await outcomeOf(job({}, () => 'never'));
      expect(bench.server.waitingCalls).toBe(0);
      return inner;
    });
    await grantNext();
    await releaseNext();
    expect(await ended).toMatchObject({ name: 'LockUpgradeRefused', lock: 'job', token: 41 });
  });

  test('concurrent calls do not share a hold', async () => {
    const first = heldWork();
    const outer = job({}, first.run);
    await grantNext({ token: 41 });
    await first.started();
    const beside = job({}, ({ token }) => token);
    const call = await bench.server.next('lock.acquire');
    first.finish('done');
    await releaseNext();
    expect(await outer).toBe('done');
    call.answer(granted({ token: 42 }));
    await releaseNext();
    expect(await beside).toBe(42);
  });
});

describe('only while the lease surely lives', () => {
  test("after its end by the client's clock the inner work never runs", async () => {
    let innerRan = false;
    const ended = outcomeOf(
      job({}, async (hold) => {
        bench.clock.freeze(30_000);
        expect(hold.signal.aborted).toBe(false);
        const inner = await outcomeOf(
          job({}, () => {
            innerRan = true;
          }),
        );
        expect(inner).toMatchObject({ name: 'LockLost', token: 41, loss: { cause: 'unrenewed' } });
        expect(hold.signal.aborted).toBe(true);
      }),
    );
    await grantNext();
    await releaseNext();
    expect(await ended).toMatchObject({ name: 'LockLost' });
    expect(innerRan).toBe(false);
  });

  test('one millisecond before that it does run', async () => {
    const ended = job({}, () => {
      bench.clock.freeze(30_000 - 302 - 1);
      return job({}, (hold) => hold.remainingMs());
    });
    await grantNext();
    await releaseNext();
    expect(await ended).toBe(1);
  });

  test('no inner work begins under a force-released hold', async () => {
    const lost = { outcome: 'lost', cause: 'forced', at: 5, by: 'Ana', reason: 'stuck' };
    const outer = heldWork();
    const ended = outcomeOf(
      job({}, async (hold) => {
        await outer.run(hold);
        return job({}, () => 'never');
      }),
    );
    await grantNext();
    await outer.started();
    bench.clock.advance(10_000);
    (await bench.server.next('lock.renew')).answer(lost);
    await until(() => outer.isAborted);
    outer.finish('goes on all the same');
    const error = await ended;
    expect(error).toBe(outer.reason);
    expect(error).toMatchObject({ name: 'LockLost', loss: { cause: 'forced', by: 'Ana' } });
    expect(bench.server.waitingCalls).toBe(0);
  });

  test('a loss aborts inner work that runs, and is reported by both calls', async () => {
    const work = heldWork();
    let inner: unknown;
    const ended = outcomeOf(
      job({}, async () => {
        inner = await outcomeOf(job({}, work.run));
      }),
    );
    await grantNext();
    await work.started();
    bench.clock.advance(10_000);
    const call = await bench.server.next('lock.renew');
    expect(work.remainingMs()).toBe(20_000 - 302);
    call.answer({ outcome: 'lost', cause: 'expired', at: 5 });
    await until(() => work.isAborted);
    expect(work.remainingMs()).toBe(0);
    work.finish('wrote something');
    expect(await ended).toMatchObject({ name: 'LockLost', loss: { cause: 'expired' } });
    expect(inner).toBe(await ended);
  });

  test('the renewals of the outer hold keep inner work going', async () => {
    const work = heldWork();
    const ended = job({}, () => job({}, work.run));
    await grantNext();
    await work.started();
    for (let round = 0; round < 4; round++) {
      await bench.clock.advanceOver(10_000);
      (await bench.server.next('lock.renew')).answer(renewed);
      await until(() => work.remainingMs() === 30_000 - 302);
    }
    work.finish('done');
    await releaseNext();
    expect(await ended).toBe('done');
    expect(bench.clock.timerCount).toBe(0);
  });
});

describe('work that continues after the work that started it', () => {
  test('sends a request like any other caller', async () => {
    const { open, opened } = gate();
    let escaped: Promise<unknown> = Promise.resolve();
    const ended = job({}, () => {
      escaped = opened.then(() => job({}, ({ token }) => token));
      return 'done';
    });
    await grantNext({ token: 41 });
    const release = await bench.server.next('lock.release');
    // The release is not answered yet: the hold no longer counts once its work has ended.
    open();
    const acquire = await bench.server.next('lock.acquire');
    release.answer({ outcome: 'released' });
    expect(await ended).toBe('done');
    acquire.answer(granted({ token: 42 }));
    expect((await releaseNext()).input).toMatchObject({ token: 42 });
    expect(await escaped).toBe(42);
  });

  test('holds nothing any more: its signal aborts, and it is notified of the loss', async () => {
    const work = heldWork();
    let escaped: Promise<unknown> = Promise.resolve();
    let outerView: Hold | undefined;
    const ended = job({}, async (hold) => {
      outerView = hold;
      escaped = outcomeOf(job({}, work.run));
      await work.started();
      return 'done';
    });
    await grantNext();
    const release = await bench.server.next('lock.release');
    expect(work.reason).toMatchObject({ name: 'LockLost', loss: { cause: 'released' } });
    expect(work.remainingMs()).toBe(0);
    expect(outerView?.remainingMs()).toBe(0);
    release.answer({ outcome: 'released' });
    expect(await ended).toBe('done');
    bench.clock.freeze(60_000);
    work.finish('wrote something');
    expect(await escaped).toMatchObject({ name: 'LockLost', loss: { cause: 'released' } });
  });

  test('uses the hold around the one that has ended', async () => {
    const { open, opened } = gate();
    let escaped: Promise<unknown> = Promise.resolve();
    const ended = job({}, async () => {
      await withLock('other', { client: bench.client }, () => {
        escaped = opened.then(() => job({}, ({ token }) => token));
      });
      open();
      return escaped;
    });
    await grantNext({ token: 41 });
    await grantNext({ token: 7 });
    await releaseNext();
    expect((await releaseNext()).input).toMatchObject({ name: 'job' });
    expect(await ended).toBe(41);
  });
});

test('work that keeps starting work leaks nothing', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const fetch = async (url: unknown) =>
    Response.json({
      result: { data: String(url).includes('acquire') ? granted() : { outcome: 'released' } },
    });
  const client = new LockyardClient({ url: 'http://unused', apiKey: 'secret-key', fetch });
  const seen: WeakRef<AbortSignal>[] = [];
  const kept = await new Promise<number>((resolve) => {
    const generation = () =>
      void withLock('job', { client, ownHold: true }, async ({ signal }) => {
        seen.push(new WeakRef(signal));
        if (seen.length < 50) {
          setImmediate(generation);
          await new Promise(setImmediate);
          return;
        }
        await new Promise((next) => setTimeout(next, 20));
        collect();
        resolve(seen.filter((reference) => reference.deref()).length);
      });
    generation();
  });
  expect(kept).toBeLessThan(5);
});

describe('what reaches inner work', () => {
  test('its own signal, which ends only the inner work', async () => {
    const caller = new AbortController();
    const work = heldWork();
    const ended = job({}, async (outer) => {
      const inner = await job({ signal: caller.signal }, work.run);
      expect(outer.signal.aborted).toBe(false);
      return inner;
    });
    await grantNext();
    await work.started();
    caller.abort(new Error('enough'));
    expect(work.reason).toBe(caller.signal.reason);
    work.finish('tidied up');
    await releaseNext();
    expect(await ended).toBe('tidied up');
  });

  test('a signal that has aborted already keeps it from starting', async () => {
    const reason = new Error('enough');
    const ended = job({}, () =>
      outcomeOf(job({ signal: AbortSignal.abort(reason) }, () => 'never')),
    );
    await grantNext();
    await releaseNext();
    expect(await ended).toBe(reason);
  });

  test('the signal of the outer call reaches it', async () => {
    const caller = new AbortController();
    const work = heldWork();
    const ended = job({ signal: caller.signal }, () => job({}, work.run));
    await grantNext();
    await work.started();
    caller.abort(new Error('enough'));
    expect(work.reason).toBe(caller.signal.reason);
    work.finish('tidied up');
    await releaseNext();
    expect(await ended).toBe('tidied up');
  });

  test("operators' messages arrive within the work: a listener may request the lock", async () => {
    const work = heldWork();
    let heard: unknown;
    const onAskedToRelease = async () => {
      heard = await outcomeOf(job({ waitMs: 0 }, ({ token }) => token));
    };
    const ended = job({ onAskedToRelease }, work.run);
    await grantNext();
    await work.started();
    bench.clock.advance(10_000);
    (await bench.server.next('lock.renew')).answer({ ...renewed, askedToRelease: remark });
    await until(() => heard !== undefined || bench.server.waitingCalls > 0);
    expect(heard).toBe(41);
    work.finish('done');
    await releaseNext();
    await ended;
  });

  test('messages of operators, also from before it began, and none after its end', async () => {
    const notices: string[] = [];
    const listening = (who: string) => ({
      onAskedToRelease: () => notices.push(`${who} asked`),
      onRenewalsStopped: () => notices.push(`${who} stopped`),
    });
    const work = heldWork();
    const ended = job(listening('outer'), async () => {
      await job(listening('early'), () => {});
      await job(listening('first'), work.run);
      await job(listening('second'), (hold) => {
        expect(hold.askedToRelease.reason).toEqual(remark);
        return new Promise(setImmediate);
      });
    });
    await grantNext();
    await work.started();
    bench.clock.advance(10_000);
    (await bench.server.next('lock.renew')).answer({ ...renewed, askedToRelease: remark });
    await until(() => notices.length > 1);
    work.finish('done');
    await releaseNext();
    await ended;
    expect(notices).toEqual(['outer asked', 'first asked', 'second asked']);
  });
});

function otherClient() {
  const { url, clock } = bench;
  return new LockyardClient({ url, apiKey: 'secret-key', owner: 'me', clock });
}
