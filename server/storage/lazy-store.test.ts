import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LazyStore } from './lazy-store';

/** Opening is retried every two seconds. */
const TRIES_MS = 20_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('a backend that stays unavailable is logged once for each reason, and retried', async () => {
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

it('a start waits up to 5 s for a backend to open, says so, and uses it once open', async () => {
  let arrive: (store: never) => void = () => {};
  const slow = new Promise<never>((resolve) => {
    arrive = resolve;
  });
  const sent: string[] = [];
  const starting = LazyStore.start(
    () => slow,
    (error) => sent.push((error as Error).message),
  );
  await vi.advanceTimersByTimeAsync(5_000);
  const store = await starting;
  expect(sent).toEqual([expect.stringContaining('still being opened')]);
  await expect(store.historyEnd()).rejects.toMatchObject({ applied: 'no' });
  arrive({ historyEnd: async () => 7, close: async () => {} } as never);
  await vi.advanceTimersByTimeAsync(0);
  expect(await store.historyEnd()).toBe(7);
  await store.close();
});

it('closing waits at most 2 s for an opening, and closes what opens later', async () => {
  const closed: string[] = [];
  const opened = { close: async () => void closed.push('opened') };
  let arrive: (store: never) => void = () => {};
  const slow = new Promise<never>((resolve) => {
    arrive = resolve;
  });
  let tries = 0;
  const store = await LazyStore.start(
    () => (++tries === 1 ? Promise.reject(new Error('away')) : slow),
    () => {},
  );
  await vi.advanceTimersByTimeAsync(TRIES_MS);
  expect(tries).toBe(2);
  const closing = store.close().then(() => closed.push('lazy store'));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(closed).toEqual(['lazy store']);
  await closing;
  arrive(opened as never);
  await vi.advanceTimersByTimeAsync(0);
  expect(closed).toEqual(['lazy store', 'opened']);
});
