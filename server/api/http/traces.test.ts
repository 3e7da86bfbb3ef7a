import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ApiHarness, type Reply } from '@/test/api-harness';

let api: ApiHarness;
let key: string;
let foreign: string;

beforeAll(async () => {
  api = await ApiHarness.start();
  key = await api.key('orders');
  foreign = await api.key('billing');
});
afterAll(() => api.close());

/** The header of the n-th caller. */
const trace = (n: number) => `00-${String(n).padStart(32, 'a')}-${String(n).padStart(16, 'b')}-01`;

const acquire = (
  name: string,
  traceparent: string | undefined,
  more: object = {},
  headers: Record<string, string> = {},
) =>
  api.post(
    key,
    'lock.acquire',
    { name, owner: 'w1', leaseMs: 60_000, ...more },
    { headers: { ...(traceparent && { traceparent }), ...headers } },
  );

const inspect = (name: string, by = key) => api.get(by, 'lock.inspect', { name });

/** The traces of the holders in an answer. */
const seenIn = ({ data }: Reply, of: 'holders' | 'locks' | 'blockedBy' = 'holders') => {
  const found = data?.[of] as { holders?: object[]; traceparent?: string }[];
  return found.flatMap((each) => (each.holders ?? [each]) as { traceparent?: string }[]);
};
const traces = (holders: { traceparent?: string }[]) =>
  holders.map(({ traceparent }) => traceparent);

describe('the traceparent header of an acquire is stored with the hold', () => {
  test('on the fast path and for batches', async () => {
    await acquire('plain', trace(1));
    expect(traces(seenIn(await inspect('plain')))).toEqual([trace(1)]);
    const batch = { 0: { name: 'batched', owner: 'w1', leaseMs: 60_000 } };
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      traceparent: trace(2),
    };
    const body = JSON.stringify(batch);
    const init = { method: 'POST', headers, body };
    expect((await api.send('/api/v1/lock.acquire?batch=1', init)).status).toBe(200);
    expect(traces(seenIn(await inspect('batched')))).toEqual([trace(2)]);
  });

  test('with each lock of a multi-lock', async () => {
    const both = { locks: [{ name: 'set a' }, { name: 'set b' }], owner: 'w1', leaseMs: 60_000 };
    await api.post(key, 'lock.acquireMany', both, { headers: { traceparent: trace(3) } });
    const again = await api.post(key, 'lock.acquireMany', { ...both, owner: 'w2' });
    expect(again.data).toMatchObject({ outcome: 'held' });
    expect(traces(seenIn(again, 'blockedBy'))).toEqual([trace(3), trace(3)]);
  });

  test('for a waiter, which is answered the trace of the hold that it waited for', async () => {
    const { data } = await acquire('waited for', trace(4));
    const waiting = acquire('waited for', trace(5), { owner: 'w2', waitMs: 20_000 });
    const waiters = async () => (await inspect('waited for')).data?.waiters;
    await expect.poll(waiters).toHaveLength(1);
    const release = { name: 'waited for', owner: 'w1', token: data?.token };
    await api.post(key, 'lock.release', release);
    expect((await waiting).data).toMatchObject({
      outcome: 'granted',
      waitedForTraceparent: trace(4),
    });
    expect(traces(seenIn(await inspect('waited for')))).toEqual([trace(5)]);
  });

  test.each(['', 'x', `${trace(6)}-more`, trace(6).toUpperCase(), `${trace(6)}, ${trace(6)}`])(
    'unless it is not valid: then it is ignored, and the lock granted: "%s"',
    async (header) => {
      const name = `bad ${header.slice(0, 60)}${header.length}`;
      const { data } = await acquire(name, undefined, {}, { traceparent: header });
      expect(data).toMatchObject({ outcome: 'granted' });
      expect(traces(seenIn(await inspect(name)))).toEqual([undefined]);
    },
  );

  test('and an input field of that name is refused like every unknown field', async () => {
    expect((await acquire('as input', undefined, { traceparent: trace(7) })).reason).toBe(
      'INVALID',
    );
  });
});

describe('other services do not see the trace of a hold', () => {
  const refused = (by: string, name: string) =>
    api.post(by, 'lock.acquire', { name, owner: 'w9', leaseMs: 60_000 });
  const timedOut = (by: string, name: string) =>
    api.post(by, 'lock.acquire', { name, owner: 'w9', leaseMs: 60_000, waitMs: 60 });
  const refusedSet = (by: string, name: string) => {
    const locks = [{ name }, { name: `${name}, another` }];
    return api.post(by, 'lock.acquireMany', { locks, owner: 'w9', leaseMs: 60_000 });
  };
  const listed = (by: string, name: string) => api.get(by, 'lock.list', { prefix: name });
  const watched = (by: string, name: string) =>
    api.post(by, 'lock.watch', { names: [name], waitMs: 0 });

  test.each([
    ['a refusal', refused, 'holders'],
    ['the end of a wait', timedOut, 'holders'],
    ['a refusal of several locks', refusedSet, 'blockedBy'],
    ['lock.inspect', (by: string, name: string) => inspect(name, by), 'holders'],
    ['lock.list', listed, 'locks'],
    ['lock.watch', watched, 'locks'],
  ] as const)('in %s', async (what, ask, of) => {
    const name = `seen in ${what}`;
    await acquire(name, trace(8));
    // A list shows what this process has read, a moment later.
    await vi.waitFor(
      async () => expect(traces(seenIn(await ask(key, name), of))).toEqual([trace(8)]),
      {
        timeout: 10_000,
      },
    );
    const others = await ask(foreign, name);
    expect(seenIn(others, of)).toMatchObject([{ owner: 'w1', service: 'orders' }]);
    expect(others.text).not.toContain(trace(8).slice(3, 35));
  });
});
