import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LazyStore } from './lazy-store';

/** A try is made every two seconds. */
const TRIES_MS = 20_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('a backend that stays away is logged once for each reason, and is retried until it is there', async () => {
  let reason = 'refused';
  let tries = 0;
  const sent: string[] = [];
  const store = await LazyStore.start(
    async () => {
      tries += 1;
      throw new Error(reason);
    },
    (error) => sent.push((error as Error).message),
  );
  await vi.advanceTimersByTimeAsync(TRIES_MS);
  expect(tries).toBeGreaterThan(5);
  reason = 'denied';
  await vi.advanceTimersByTimeAsync(TRIES_MS);
  expect(sent).toEqual(['refused', 'denied']);
  await store.close();
});
