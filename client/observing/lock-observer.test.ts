import { beforeEach, describe, expect, test } from 'vitest';
import { LockyardClient } from '../lockyard-client';
import { granted, heldWork, outcomeOf, scriptedBench } from '../testing/scripted-bench';
import { until } from '../testing/test-clock';
import { type WithLockOptions, withLock } from '../with-lock';
import { type WithLocksOptions, withLocks } from '../with-locks';
import type { LockObserver } from './lock-observer';

const bench = scriptedBench();
const HOOKS = ['waitEnded', 'renewed', 'lost', 'released', 'requestFailed'] as const;
const renewed = { outcome: 'renewed', rev: 8, expiresAt: 1_700_000_040_000, expiresInMs: 30_000 };

let reported: [string, object][];

function observed(observer: LockObserver) {
  const { url, clock } = bench;
  const chance = { fraction: () => 0, id: () => 'id' };
  return new LockyardClient({ url, apiKey: 'secret-key', owner: 'me', clock, chance, observer });
}

/** An observer with every hook. */
const observing = (hook: (name: string, event: object) => unknown): LockObserver =>
  Object.fromEntries(HOOKS.map((name) => [name, (event: object) => hook(name, event)]));

let client: LockyardClient;
beforeEach(() => {
  reported = [];
  client = observed(observing((name, event) => void reported.push([name, event])));
});

const lock = { namespace: 'default', name: 'job', mode: 'exclusive' };

function take(options: WithLockOptions = {}) {
  const work = heldWork();
  const ended = outcomeOf(withLock('job', { client, ...options }, work.run));
  return { work, ended };
}

async function working(options?: WithLockOptions) {
  const { work, ended } = take(options);
  const call = await bench.server.next('lock.acquire');
  bench.clock.advance(250);
  call.answer(granted());
  await work.started();
  return { work, ended };
}

describe('an observer is notified', () => {
  test('of a wait, of renewals and of a release, with how long each took', async () => {
    const { work, ended } = await working();
    expect(reported).toEqual([['waitEnded', { ...lock, outcome: 'granted', waitedMs: 250 }]]);
    bench.clock.advance(9_750);
    const renewal = await bench.server.next('lock.renew');
    bench.clock.advance(40);
    renewal.answer(renewed);
    await until(() => reported.length === 2);
    const leftMs = 20_000 - 302;
    expect(reported[1]).toEqual(['renewed', { ...lock, token: 41, latencyMs: 40, leftMs }]);
    work.finish('done');
    const release = await bench.server.next('lock.release');
    bench.clock.advance(10);
    release.answer({ outcome: 'released' });
    expect(await ended).toBe('done');
    const released = { ...lock, token: 41, outcome: 'released', heldMs: 9_800 };
    expect(reported.slice(2)).toEqual([['released', released]]);
  });

  test('of a loss when noticed, not only after the work, and of no release then', async () => {
    const { work, ended } = await working();
    bench.clock.advance(10_000);
    const call = await bench.server.next('lock.renew');
    call.answer({ outcome: 'lost', cause: 'forced', at: 5, by: 'Ana' });
    await until(() => work.isAborted);
    const lost = { ...lock, token: 41, cause: 'forced', heldMs: 10_000 };
    expect(reported.slice(1)).toEqual([['lost', lost]]);
    work.finish('done');
    expect(await ended).toMatchObject({ name: 'LockLost' });
    expect(reported.length).toBe(2);
  });

  test('of a loss that only the release reveals', async () => {
    const { work, ended } = await working();
    work.finish('done');
    (await bench.server.next('lock.release')).answer({ outcome: 'lost', cause: 'expired', at: 5 });
    expect(await ended).toMatchObject({ name: 'LockLost' });
    expect(reported.slice(1)).toEqual([
      ['lost', { ...lock, token: 41, cause: 'expired', heldMs: 0 }],
    ]);
  });

  test('of every request that failed, and of a release that was never confirmed', async () => {
    const { work, ended } = await working();
    work.finish('done');
    const first = await bench.server.next('lock.release');
    bench.clock.advance(7);
    first.refuse(503, 'BACKEND_DOWN');
    await until(() => bench.clock.nextDueMs === 50);
    bench.clock.advance(9_990);
    (await bench.server.next('lock.release')).loseReply();
    expect(await ended).toMatchObject({ name: 'ReleaseUnconfirmed' });
    const failed = (reason: string, latencyMs: number) => [
      'requestFailed',
      { procedure: 'lock.release', url: bench.url, reason, latencyMs },
    ];
    expect(reported.slice(1)).toEqual([
      failed('BACKEND_DOWN', 7),
      failed('UNKNOWN', 0),
      ['released', { ...lock, token: 41, outcome: 'unconfirmed', heldMs: 9_997 }],
    ]);
  });

  test('of a failed request outside withLock too', async () => {
    const asked = outcomeOf(client.getCounter({ name: 'tickets' }));
    (await bench.server.next('counter.get')).refuse(404, 'NOT_FOUND');
    await asked;
    const { url } = bench;
    const failed = { procedure: 'counter.get', url, reason: 'NOT_FOUND', latencyMs: 0 };
    expect(reported).toEqual([['requestFailed', failed]]);
  });

  test('of a wait that timed out, of a caller that gave up, and of a refusal', async () => {
    const late = take({ waitMs: 0 });
    const held = { outcome: 'held', holders: [], queueLength: 0, retryAfterMs: 50 };
    (await bench.server.next('lock.acquire')).answer(held);
    await late.ended;
    const caller = new AbortController();
    const abandoned = take({ signal: caller.signal });
    await bench.server.next('lock.acquire');
    caller.abort();
    (await bench.server.next('lock.cancel')).answer({ outcome: 'cancelled' });
    await abandoned.ended;
    const refused = take({ mode: 'shared' });
    (await bench.server.next('lock.acquire')).refuse(403, 'FORBIDDEN');
    await refused.ended;
    const ends = reported.filter(([hook]) => hook === 'waitEnded').map(([, event]) => event);
    expect(ends).toMatchObject([
      { outcome: 'timeout' },
      { outcome: 'abandoned' },
      { outcome: 'failed', mode: 'shared' },
    ]);
  });

  test('of inner calls that join an outer hold, whose release counts once', async () => {
    const ended = withLock('job', { client }, () => withLock('job', { client }, () => 'done'));
    (await bench.server.next('lock.acquire')).answer(granted());
    (await bench.server.next('lock.release')).answer({ outcome: 'released' });
    expect(await ended).toBe('done');
    expect(reported).toMatchObject([
      ['waitEnded', { outcome: 'granted' }],
      ['waitEnded', { outcome: 'joined', waitedMs: 0 }],
      ['released', {}],
    ]);
  });
});

describe('an observer is notified of each lock of a multi-lock', () => {
  const pair = ['a', { name: 'b', mode: 'shared' as const }];
  const ofBoth = (outcome: string, waitedMs: number) => [
    ['waitEnded', { ...lock, name: 'a', outcome, waitedMs }],
    ['waitEnded', { ...lock, name: 'b', mode: 'shared', outcome, waitedMs }],
  ];
  const begun = (options: WithLocksOptions = {}) =>
    outcomeOf(withLocks(pair, { client, ...options }, () => 'done'));

  test('when all are granted, and when each is released', async () => {
    const ended = begun();
    const call = await bench.server.next('lock.acquireMany');
    bench.clock.advance(250);
    const grants = ['a', 'b'].map((name, i) => ({ ...granted({ token: 41 + i }), name }));
    call.answer({ outcome: 'granted', grants });
    for (const _ of pair) {
      (await bench.server.next('lock.release')).answer({ outcome: 'released' });
    }
    expect(await ended).toBe('done');
    expect(reported.slice(0, 2)).toEqual(ofBoth('granted', 250));
    expect(reported.slice(2)).toMatchObject([
      ['released', { name: 'b', token: 42 }],
      ['released', { name: 'a', token: 41 }],
    ]);
  });

  test('when a wait times out, is abandoned or fails, and of an immediate refusal', async () => {
    const late = begun({ waitMs: 0 });
    const call = await bench.server.next('lock.acquireMany');
    call.answer({ outcome: 'held', blockedBy: [], retryAfterMs: 50 });
    await late;
    expect(reported.splice(0)).toEqual(ofBoth('timeout', 0));
    const caller = new AbortController();
    const abandoned = begun({ signal: caller.signal });
    await bench.server.next('lock.acquireMany');
    caller.abort();
    (await bench.server.next('lock.cancelMany')).answer({ outcome: 'cancelled' });
    await abandoned;
    expect(reported.splice(0)).toEqual(ofBoth('abandoned', 0));
    const refused = begun();
    (await bench.server.next('lock.acquireMany')).refuse(403, 'FORBIDDEN');
    await refused;
    expect(reported.splice(0).slice(1)).toEqual(ofBoth('failed', 0));
    const nested = outcomeOf(withLock('a', { client }, () => begun()));
    (await bench.server.next('lock.acquire')).answer(granted());
    (await bench.server.next('lock.release')).answer({ outcome: 'released' });
    expect(await nested).toMatchObject({ reason: 'INVALID' });
    expect(reported.slice(1, 3)).toEqual(ofBoth('failed', 0));
  });
});

describe('hooks that fail', () => {
  test.each<[string, () => unknown]>([
    [
      'throw',
      () => {
        throw new Error('the hook is broken');
      },
    ],
    ['reject', () => Promise.reject(new Error('the hook is broken'))],
    ['return nonsense', () => 'nonsense'],
  ])('hooks that %s harm neither lock nor work, and are reported once', async (how, hook) => {
    const warnings: string[] = [];
    const hear = (warning: Error) => warnings.push(warning.message);
    process.on('warning', hear);
    try {
      client = observed(observing(hook));
      const { work, ended } = await working();
      bench.clock.advance(10_000);
      (await bench.server.next('lock.renew')).refuse(503, 'BACKEND_DOWN');
      await bench.clock.advanceOver(50);
      (await bench.server.next('lock.renew')).answer(renewed);
      await until(() => work.remainingMs() > 29_000);
      work.finish('done');
      (await bench.server.next('lock.release')).answer({ outcome: 'released' });
      expect(await ended).toBe('done');
      expect(bench.clock.timerCount).toBe(0);
      await new Promise(setImmediate);
      const ours = warnings.filter((text) => text.includes('the hook is broken'));
      expect(ours.length).toBe(how === 'return nonsense' ? 0 : 1);
    } finally {
      process.off('warning', hear);
    }
  });
});
