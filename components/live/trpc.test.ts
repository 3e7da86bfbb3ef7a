import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ANSWER_MAX_MS, createConsoleClient, fetchInTime, refetchEvery, UNBATCHED } from './trpc';

let asked: AbortSignal[] = [];
let urls: string[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  urls = [];
  vi.stubGlobal('fetch', (url: string, { signal }: { signal: AbortSignal }) => {
    asked.push(signal);
    urls.push(url);
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('a request that is never answered, as when a network drops it, fails in the end', async () => {
  const failed = fetchInTime('/api/trpc/locks.extend').catch(() => 'failed');
  await vi.advanceTimersByTimeAsync(ANSWER_MAX_MS - 1);
  expect(asked[0]?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await failed).toBe('failed');
});

it('a request that its caller gives up ends at once', async () => {
  const caller = new AbortController();
  const failed = fetchInTime('/api/trpc/locks.list', { signal: caller.signal }).catch(() => 'off');
  caller.abort();
  expect(await failed).toBe('off');
  expect(vi.getTimerCount()).toBe(0);
});

it('a query that failed is soon sent again, however long its interval is', () => {
  const after = (everyMs: number | false, error: unknown) =>
    refetchEvery(everyMs, { state: { error } });
  expect(after(300_000, null)).toBe(300_000);
  expect(after(false, null)).toBe(false);
  for (const everyMs of [300_000, false as const]) {
    expect(after(everyMs, new Error('Failed to fetch'))).toBe(3_000);
  }
  expect(after(1_000, new Error('Failed to fetch'))).toBe(1_000);
});

it('a query that is sent unbatched does not wait for slower ones; others are batched', async () => {
  const { backends, session } = createConsoleClient();
  const answers = [
    backends.list.query(undefined, UNBATCHED.trpc),
    backends.guarantees.query(),
    session.current.query(),
  ];
  for (const answer of answers) answer.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(1);
  const paths = urls.map((url) => url.replace(/\?.*$/, '')).toSorted();
  expect(paths).toEqual([
    '/api/trpc/backends.guarantees,session.current',
    '/api/trpc/backends.list',
  ]);
  await vi.advanceTimersByTimeAsync(ANSWER_MAX_MS);
});
