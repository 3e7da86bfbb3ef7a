import { describe, expect, test } from 'vitest';
import { LockyardError } from '../errors';
import { scriptedBench } from '../testing/scripted-bench';
import { until } from '../testing/test-clock';
import type { Holder, ListedLock, WatchAnswer } from '../wire/wire';
import { watchLeader, watchLocks } from './watch-locks';

const bench = scriptedBench();

function holder(token: number, expiresInMs = 30_000): Holder {
  const lease = { grantedAt: 1, expiresAt: 1 + expiresInMs, expiresInMs };
  return { owner: 'w1', service: 'orders', token, mode: 'exclusive', holdCount: 1, ...lease };
}

const free = (name: string, rev: number): ListedLock => ({
  name,
  state: 'free',
  rev,
  holders: [],
  queueLength: 0,
});

const held = (name: string, rev: number, by: Holder): ListedLock => ({
  ...free(name, rev),
  state: 'held',
  holders: [by],
});

async function answer(locks: ListedLock[], more: Partial<WatchAnswer> = {}) {
  const call = await bench.server.next('lock.watch');
  call.answer({ locks, position: 'p', reset: false, more: false, ...more });
  return call;
}

/** Watches, and records each state. */
function watcher(which: { names: string[] } | { prefix: string }) {
  const seen: string[] = [];
  const stop = new AbortController();
  const ended = (async () => {
    const options = { ...which, client: bench.client, signal: stop.signal };
    for await (const { name, state, holders } of watchLocks(options)) {
      seen.push([name, state, ...holders.map(({ token }) => token)].join(' '));
    }
  })();
  return { seen, stop, ended };
}

async function stopped({ stop, ended }: ReturnType<typeof watcher>) {
  stop.abort();
  await ended;
}

test('yields the present state and each change, resuming where the last answer ended', async () => {
  const watching = watcher({ names: ['a'] });
  const first = await answer([free('a', 0)], { position: 'p1' });
  expect(first.input).toMatchObject({ names: ['a'], namespace: 'default', waitMs: 10_000 });
  expect(first.input.since).toBeUndefined();
  const second = await answer([held('a', 7, holder(41))], { position: 'p2' });
  expect(second.input.since).toBe('p1');
  // The same state again, renewed meanwhile, and an older one.
  await answer([held('a', 9, holder(41, 60_000))]);
  await answer([free('a', 3)]);
  await answer([free('a', 10)]);
  await until(() => watching.seen.length === 3);
  expect(watching.seen).toEqual(['a free', 'a held 41', 'a free']);
  await stopped(watching);
});

test('after a reset yields only what has changed, and missing locks as free', async () => {
  const watching = watcher({ prefix: 'x' });
  await answer([held('xa', 1, holder(1)), held('xb', 1, holder(2)), held('xc', 1, holder(3))]);
  await answer([held('xa', 2, holder(1))], { reset: true, more: true });
  await answer([held('xb', 4, holder(9))]);
  await until(() => watching.seen.length === 5);
  expect(watching.seen.slice(3)).toEqual(['xb held 9', 'xc free']);
  await stopped(watching);
});

test('reports every lock as unknown while Lockyard does not answer, then its state', async () => {
  const watching = watcher({ names: ['a'] });
  await answer([held('a', 1, holder(1))]);
  for (let passedMs = 0; passedMs <= 6_000; passedMs += 500) {
    (await bench.server.next('lock.watch')).refuse(503, 'BACKEND_DOWN', { retryAfterMs: 500 });
    await bench.clock.advanceOver(500);
  }
  await until(() => watching.seen.length === 2);
  expect(watching.seen[1]).toBe('a unknown 1');
  const { input } = await answer([held('a', 1, holder(1))]);
  expect(input.since).toBeUndefined();
  await until(() => watching.seen.length === 3);
  expect(watching.seen[2]).toBe('a held 1');
  await stopped(watching);
});

describe('while Lockyard never answers', () => {
  async function refuseUntilSilent() {
    for (let passedMs = 0; passedMs <= 6_000; passedMs += 500) {
      (await bench.server.next('lock.watch')).refuse(503, 'BACKEND_DOWN', { retryAfterMs: 500 });
      await bench.clock.advanceOver(500);
    }
  }

  test('locks that are watched by their names are unknown', async () => {
    const watching = watcher({ names: ['a', 'b'] });
    await refuseUntilSilent();
    await answer([free('a', 0), held('b', 1, holder(1))]);
    await until(() => watching.seen.length === 4);
    expect(watching.seen).toEqual(['a unknown', 'b unknown', 'a free', 'b held 1']);
    await stopped(watching);
  });

  test('there is no leader', async () => {
    const leaders: unknown[] = [];
    const stop = new AbortController();
    const options = { client: bench.client, signal: stop.signal };
    const ended = (async () => {
      for await (const leader of watchLeader('cron', options)) leaders.push(leader);
    })();
    await refuseUntilSilent();
    await until(() => leaders.length === 1);
    expect(leaders).toEqual([null]);
    stop.abort();
    await ended;
  });
});

test('reports every lock as unknown 15 s after the last answer, whatever came before', async () => {
  const watching = watcher({ names: ['a'] });
  await answer([held('a', 1, holder(1))]);
  const second = await bench.server.next('lock.watch');
  bench.clock.advance(4_900);
  second.refuse(503, 'BACKEND_DOWN', { retryAfterMs: 100 });
  await bench.clock.advanceOver(100);
  const third = await bench.server.next('lock.watch');
  expect(third.input.waitMs).toBeLessThanOrEqual(5_000);
  bench.clock.advance(10_000);
  await until(() => watching.seen.length === 2);
  expect(watching.seen[1]).toBe('a unknown 1');
  await stopped(watching);
});

test('yields nothing once the signal has aborted, not even what was already received', async () => {
  const stop = new AbortController();
  const options = { prefix: 'x', client: bench.client, signal: stop.signal };
  const seen: string[] = [];
  const ended = (async () => {
    for await (const { name, state } of watchLocks(options)) {
      seen.push(`${name} ${state}`);
      if (seen.length === 3) stop.abort();
    }
  })();
  await answer([held('xa', 1, holder(1)), held('xb', 1, holder(2))]);
  await answer([], { reset: true });
  await ended;
  expect(seen).toEqual(['xa held', 'xb held', 'xa free']);
});

test('continues after a server error, and reports all locks as unknown if it lasts', async () => {
  const watching = watcher({ names: ['a'] });
  await answer([held('a', 1, holder(1))]);
  for (let passedMs = 0; passedMs <= 6_000; passedMs += 1_000) {
    (await bench.server.next('lock.watch')).refuse(500, 'INTERNAL');
    await bench.clock.advanceOver(1_000);
  }
  await until(() => watching.seen.length === 2);
  expect(watching.seen[1]).toBe('a unknown 1');
  await answer([held('a', 1, holder(1))]);
  await until(() => watching.seen.length === 3);
  await stopped(watching);
});

test.each([302, 404])('only before Lockyard has answered a proxy ends it by %i', async (status) => {
  const misled = expect(watcher({ names: ['a'] }).ended).rejects.toThrow('check the URL');
  (await bench.server.next('lock.watch')).reply(status, 'Moved.');
  await misled;

  const watching = watcher({ names: ['a'] });
  await answer([held('a', 1, holder(1))]);
  (await bench.server.next('lock.watch')).reply(status, 'Back soon.');
  await bench.clock.advanceOver(1_000);
  await answer([free('a', 2)]);
  await until(() => watching.seen.length === 2);
  expect(watching.seen).toEqual(['a held 1', 'a free']);
  await stopped(watching);
});

test('ends with a permanent refusal', async () => {
  const watching = watcher({ names: ['a'] });
  (await bench.server.next('lock.watch')).refuse(401, 'UNAUTHENTICATED');
  await expect(watching.ended).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
});

test('refuses an option that it does not have, before any request', async () => {
  const options = { name: 'a', client: bench.client } as object;
  await expect(watchLocks(options).next()).rejects.toThrow(LockyardError);
  expect(bench.server.waitingCalls).toBe(0);
});

test('yields each leader once, null while there is none or it has released the lock', async () => {
  const seen: (number | null)[] = [];
  const stop = new AbortController();
  const ended = (async () => {
    for await (const leader of watchLeader('cron', { client: bench.client, signal: stop.signal })) {
      seen.push(leader?.token ?? null);
    }
  })();
  await answer([free('cron', 0)]);
  await answer([held('cron', 1, holder(1))]);
  await answer([{ ...held('cron', 2, holder(1)), queueLength: 2 }]);
  await answer([held('cron', 3, { ...holder(1), keptUntil: 30_001, releasedAt: 2 })]);
  await answer([held('cron', 4, holder(2))]);
  await until(() => seen.length === 4);
  stop.abort();
  await ended;
  expect(seen).toEqual([null, 1, null, 2]);
});
