import { expect, test, vi } from 'vitest';
import type { Hold } from '../../holding/lock-hold';
import type { CommandChild } from './command-child';
import { runCommandUnderHold } from './run-command-under-hold';

test('a lease of more than 24 days, as operators can make one, is waited for and not looked at all the time', async () => {
  vi.useFakeTimers();
  let looks = 0;
  const startedAt = Date.now();
  const remainingMs = () => {
    looks += 1;
    return 40 * 86_400_000 - (Date.now() - startedAt);
  };
  const hold = { remainingMs, signal: new AbortController().signal } as unknown as Hold;
  let exit: (code: number) => void = () => {};
  const ended = new Promise<number>((resolve) => {
    exit = resolve;
  });
  const child = { ended, end: async () => exit(143) } as unknown as CommandChild;
  const end = runCommandUnderHold(hold, child, { leaseMs: 60_000, graceMs: 10_000 }, () => {});
  await vi.advanceTimersByTimeAsync(39 * 86_400_000);
  expect(looks).toBeLessThan(100);
  await vi.advanceTimersByTimeAsync(86_400_000);
  expect(await end).toEqual({ exitCode: 143, isCutShort: true });
  vi.useRealTimers();
});
