import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { forceReleaseLock } from '@/server/operations/locks/for-people/force-release-lock';
import { ApiHarness } from '@/test/api-harness';
import { lead } from './lead';
import { LockyardClient } from './lockyard-client';
import { outcomeOf } from './testing/scripted-bench';
import { withLock } from './with-lock';

let api: ApiHarness;
let orders: LockyardClient;
let billing: LockyardClient;
let keys: Record<'orders' | 'billing', string>;
let names = 0;
let name: string;

beforeAll(async () => {
  api = await ApiHarness.start();
  keys = { orders: await api.key('orders'), billing: await api.key('billing') };
  orders = new LockyardClient({ url: api.url, apiKey: keys.orders });
  billing = new LockyardClient({ url: api.url, apiKey: keys.billing });
});
afterAll(() => api.close());
beforeEach(() => {
  name = `real service ${++names}`;
});

/** Holds the lock until the test releases it. */
function occupy(client: LockyardClient, options: { leaseMs?: number } = {}) {
  let letGo = () => {};
  const freed = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let ended: Promise<unknown> = Promise.resolve();
  const held = new Promise<number>((resolve) => {
    ended = outcomeOf(
      withLock(name, { client, ...options }, (hold) => {
        resolve(hold.token);
        return Promise.race([freed, aborted(hold.signal)]);
      }),
    );
  });
  return { held, letGo, ended };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

const waiters = async () => (await orders.inspect({ name })).waiters;

async function untilWaiting(count: number) {
  while ((await waiters()).length !== count) await sleep(10);
}

describe('excluding', () => {
  test('two services never overlap: unguarded increments under the lock are exact', async () => {
    let counter = 0;
    const tokens: number[] = [];
    const increment = (client: LockyardClient) =>
      withLock(name, { client }, async ({ token }) => {
        const seen = counter;
        await sleep(1);
        counter = seen + 1;
        tokens.push(token);
      });
    const worker = async (client: LockyardClient) => {
      for (let round = 0; round < 10; round++) await increment(client);
    };
    await Promise.all(
      [orders, billing].flatMap((client) => [1, 2, 3, 4].map(() => worker(client))),
    );
    expect(counter).toBe(80);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
  });

  test('a hold outlives its first lease for as long as the work goes on', async () => {
    const holder = occupy(orders, { leaseMs: 8_000 });
    const token = await holder.held;
    await sleep(9_000);
    expect(await billing.check({ name, token })).toEqual({ valid: true });
    expect(await outcomeOf(withLock(name, { client: billing, waitMs: 0 }, () => {}))).toMatchObject(
      {
        name: 'LockTimeout',
        holders: [{ service: 'orders', token }],
      },
    );
    holder.letGo();
    expect(await holder.ended).toBeUndefined();
    expect(await orders.inspect({ name })).toMatchObject({ state: 'free' });
  });

  test('an owner may re-enter, and the outer hold survives the inner release', async () => {
    const result = await withLock(name, { client: orders }, async (outer) => {
      const again = { client: orders, ownHold: true, reentrant: true };
      const inner = await withLock(name, again, (hold) => hold.token);
      expect(inner).toBe(outer.token);
      return orders.check({ name, token: outer.token });
    });
    expect(result).toEqual({ valid: true });
  });

  test('work under the lock may ask for it again, and costs no request', async () => {
    let requests = 0;
    const counting: typeof fetch = (...request) => {
      requests++;
      return fetch(...request);
    };
    const client = new LockyardClient({ url: api.url, apiKey: keys.orders, fetch: counting });
    const depth = (level: number): Promise<number> =>
      withLock(name, { client, waitMs: 0 }, () => (level === 0 ? 0 : depth(level - 1)));
    expect(await depth(50)).toBe(0);
    expect(requests).toBe(2);
    expect(await orders.inspect({ name })).toMatchObject({ state: 'free' });
  });

  test('a client whose replies are lost is granted once and releases once', async () => {
    let replies = 0;
    const lossy: typeof fetch = async (...request) => {
      const reply = await fetch(...request);
      if (++replies % 2 === 1) throw new TypeError('the reply is lost');
      return reply;
    };
    const client = new LockyardClient({ url: api.url, apiKey: keys.orders, fetch: lossy });
    const first = await withLock(name, { client }, ({ token }) => token);
    const second = await withLock(name, { client }, ({ token }) => token);
    expect(second).toBeGreaterThan(first);
    expect(replies).toBe(8);
    expect(await orders.inspect({ name })).toMatchObject({ state: 'free', waiters: [] });
  });
});

describe('waiting', () => {
  test('a waiter gets the lock as soon as it is released', async () => {
    const holder = occupy(orders);
    await holder.held;
    const granted = withLock(name, { client: billing }, ({ waitedMs }) => waitedMs);
    await untilWaiting(1);
    const freedAt = performance.now();
    holder.letGo();
    expect(await granted).toBeGreaterThan(0);
    expect(performance.now() - freedAt).toBeLessThan(8_000);
  });

  test('a wait lasts over many requests and keeps its place ahead of newcomers', async () => {
    const engine = api.runtime.engines.get('default');
    if (!engine) throw new Error('no engine');
    const acquire = engine.acquire.bind(engine);
    engine.acquire = (key, ask, wait) => acquire(key, ask, { ...wait, holdRequestMs: 250 });
    try {
      const holder = occupy(orders);
      await holder.held;
      const order: string[] = [];
      const wait = (who: string) => withLock(name, { client: billing }, () => void order.push(who));
      const first = wait('first');
      await untilWaiting(1);
      const [{ ticket } = { ticket: 0 }] = await waiters();
      const second = wait('second');
      await sleep(1_200);
      expect((await waiters())[0]).toMatchObject({ ticket, place: 1 });
      holder.letGo();
      await Promise.all([first, second]);
      expect(order).toEqual(['first', 'second']);
    } finally {
      engine.acquire = acquire;
    }
  });

  test('a caller that gives up has left the queue before its call rejects', async () => {
    const holder = occupy(orders);
    await holder.held;
    const caller = new AbortController();
    const waiting = outcomeOf(withLock(name, { client: billing, signal: caller.signal }, () => {}));
    await untilWaiting(1);
    const reason = new Error('enough');
    caller.abort(reason);
    expect(await waiting).toBe(reason);
    expect(await waiters()).toEqual([]);
    holder.letGo();
    await holder.ended;
    expect(await orders.inspect({ name })).toMatchObject({ state: 'free' });
  });

  test('a wait ends in a LockTimeout that names the holder', async () => {
    const holder = occupy(orders);
    await holder.held;
    expect(
      await outcomeOf(withLock(name, { client: billing, waitMs: 200 }, () => {})),
    ).toMatchObject({
      name: 'LockTimeout',
      holders: [{ service: 'orders' }],
    });
    expect(await waiters()).toEqual([]);
    holder.letGo();
  });
});

test('a leader is shown as such; after a force release the next in the queue leads', async () => {
  const stop = new AbortController();
  const log: string[] = [];
  const candidate = (client: LockyardClient, who: string) =>
    lead(name, {
      client,
      leaseMs: 9_000,
      signal: stop.signal,
      onElected: ({ token }) => void log.push(`${who} ${token > 0}`),
      onLost: (why) => void log.push(`${who} ${why?.loss.cause ?? 'ended'}`),
    });
  const first = candidate(orders, 'orders');
  await expect.poll(() => log).toEqual(['orders true']);
  const second = candidate(billing, 'billing');
  await untilWaiting(1);
  const { row } = await api.runtime.projection.detail('default', name);
  expect(row.hold?.meta).toMatchObject({ role: 'leader' });
  const { rev, holders } = await orders.inspect({ name });
  const act = { namespace: 'default', name, token: holders[0]?.token ?? 0, rev, reason: 'stuck' };
  await forceReleaseLock(api.cli, act);
  await expect
    .poll(() => [...log].sort(), { timeout: 30_000 })
    .toEqual(['billing true', 'orders forced', 'orders true']);
  await untilWaiting(1);
  stop.abort();
  await Promise.all([first, second]);
  expect(log.slice(3)).toEqual(['billing ended']);
  expect(await orders.inspect({ name })).toMatchObject({ state: 'free', waiters: [] });
});

describe('losing', () => {
  test('a force-released hold is lost at its next renewal, with operator and reason', async () => {
    const holder = occupy(orders, { leaseMs: 9_000 });
    const token = await holder.held;
    const reason = 'stuck since noon';
    const { rev } = await orders.inspect({ name });
    await forceReleaseLock(api.cli, { namespace: 'default', name, token, rev, reason });
    expect(await holder.ended).toMatchObject({
      name: 'LockLost',
      token,
      loss: { cause: 'forced', reason },
    });
  });

  test('a holder that cannot renew is aborted before its successor begins', async () => {
    let isCut = false;
    const cut: typeof fetch = (...request) =>
      isCut ? Promise.reject(new TypeError('no route')) : fetch(...request);
    const client = new LockyardClient({ url: api.url, apiKey: keys.orders, fetch: cut });
    const order: string[] = [];
    const ended = outcomeOf(
      withLock(name, { client, leaseMs: 1_000 }, async ({ signal }) => {
        isCut = true;
        await aborted(signal).catch(() => order.push('holder'));
        isCut = false;
      }),
    );
    while (!isCut) await sleep(5);
    await withLock(name, { client: billing }, () => void order.push('successor'));
    expect(order).toEqual(['holder', 'successor']);
    expect(await ended).toMatchObject({ name: 'LockLost', loss: { cause: 'unrenewed' } });
  });

  test('a key without access to the namespace is refused at once', async () => {
    const refused = withLock(name, { client: orders, namespace: 'elsewhere' }, () => {});
    expect(await outcomeOf(refused)).toMatchObject({ name: 'LockyardError', reason: 'FORBIDDEN' });
  });
});
