import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../core/time-units';
import { InstantCache } from './instant-cache';

describe('instants of the past', () => {
  let cache: InstantCache<{ locks: number }>;
  beforeEach(() => {
    vi.useFakeTimers();
    cache = new InstantCache();
  });
  afterEach(() => vi.useRealTimers());

  const keep = async (at: number, locks: number) => {
    cache.keep(at, Promise.resolve({ locks }));
    await vi.advanceTimersByTimeAsync(0);
  };
  const which = (instants: number[]) => instants.filter((at) => cache.get(at) !== undefined);

  it('are kept while pages use them: the last four, if small', async () => {
    for (const at of [1, 2, 3, 4]) await keep(at, 12_000);
    void cache.get(1);
    await keep(5, 12_000);
    expect(which([1, 2, 3, 4, 5])).toEqual([1, 3, 4, 5]);
  });

  it('of a large fleet are kept one at a time', async () => {
    await keep(1, 100_000);
    expect(which([1])).toEqual([1]);
    await keep(2, 100_000);
    expect(which([1, 2])).toEqual([2]);
  });

  it('are dropped a minute after the last request of a page', async () => {
    await keep(1, 10);
    await keep(2, 10);
    vi.advanceTimersByTime(MINUTE_MS - 1);
    expect(which([1])).toEqual([1]);
    vi.advanceTimersByTime(MINUTE_MS - 1);
    expect(which([1, 2])).toEqual([1]);
    vi.advanceTimersByTime(MINUTE_MS);
    expect(which([1])).toEqual([]);
  });

  it('that were read again stay, if only the reading before failed', async () => {
    let fail = (_: Error) => {};
    const first = new Promise<{ locks: number }>((_, reject) => {
      fail = reject;
    });
    cache.keep(1, first);
    cache.forget(1);
    await keep(1, 1);
    fail(new Error('no database'));
    await vi.advanceTimersByTimeAsync(0);
    expect(which([1])).toEqual([1]);
  });

  it('that could not be read are read again at the next request', async () => {
    const failing = Promise.reject(new Error('Gone.'));
    cache.keep(1, failing);
    await expect(failing).rejects.toThrow('Gone.');
    await vi.advanceTimersByTimeAsync(0);
    expect(which([1])).toEqual([]);
  });
});
