import { expect, test, vi } from 'vitest';
import { closeInTurn } from './close-in-turn';

test('parts are closed in turn, the last opened first, whether or not one fails', async () => {
  const closed: string[] = [];
  const part = (name: string) => async () => {
    await new Promise(setImmediate);
    closed.push(name);
    if (name === 'b') throw new Error('b is stuck');
  };
  const failures: unknown[] = [];
  await closeInTurn([part('a'), part('b'), part('c')], 60_000, (error) => failures.push(error));
  expect(closed).toEqual(['c', 'b', 'a']);
  expect(failures).toEqual([new Error('b is stuck')]);
});

test('once the time for all is over, the rest is closed without waiting', async () => {
  vi.useFakeTimers();
  try {
    const begun: string[] = [];
    const part = (name: string, afterMs: number) => () => {
      begun.push(name);
      return new Promise<void>((resolve) => setTimeout(resolve, afterMs));
    };
    const parts = [part('a', 5_000), part('b', 5_000), part('c', 5_000), part('d', 5_000)];
    let isClosed = false;
    const failures: unknown[] = [];
    const closing = closeInTurn(parts, 8_000, (error) => failures.push(error)).then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(7_999);
    expect([begun, isClosed]).toEqual([['d', 'c'], false]);
    await vi.advanceTimersByTimeAsync(1);
    await closing;
    expect(begun).toEqual(['d', 'c', 'b', 'a']);
    expect(failures).toHaveLength(3);
  } finally {
    vi.useRealTimers();
  }
});
