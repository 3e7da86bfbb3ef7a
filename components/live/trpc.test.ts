import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ANSWER_MAX_MS, fetchInTime } from './trpc';

let asked: AbortSignal[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  vi.stubGlobal('fetch', (_: string, { signal }: { signal: AbortSignal }) => {
    asked.push(signal);
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('a request that is never answered, as over a network that swallows it, fails in the end', async () => {
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
