import { expect, test, vi } from 'vitest';
import type { Hold } from '../../holding/lock-hold';
import type { CommandChild } from './command-child';
import { runCommandUnderHold } from './run-command-under-hold';
import { EndedBySignal } from './signal-relay';

const DAY_MS = 86_400_000;

test('a lease over 24 days, which operators can create, is awaited without polling', async () => {
  let now = 0;
  let looks = 0;
  let due: { at: number; run: () => void } | null = null;
  const original = globalThis.setTimeout;
  // Only the long timers are moved: the other work of this process continues as usual.
  const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
    run: () => void,
    ms = 0,
  ) => {
    if (ms < DAY_MS / 24) return original(run, ms);
    due = { at: now + ms, run };
    return undefined;
  }) as typeof setTimeout);
  const nextDue = () => {
    const next = due;
    due = null;
    return next;
  };
  try {
    const remainingMs = () => {
      looks += 1;
      return 40 * DAY_MS - now;
    };
    const hold = { remainingMs, signal: new AbortController().signal } as unknown as Hold;
    let exit: (code: number) => void = () => {};
    const ended = new Promise<number>((resolve) => {
      exit = resolve;
    });
    const child = { ended, end: async () => exit(143) } as unknown as CommandChild;
    const end = runCommandUnderHold(hold, child, { leaseMs: 60_000, graceMs: 10_000 }, () => {});
    for (let next = nextDue(); next; next = nextDue()) {
      now = next.at;
      next.run();
    }
    expect(await end).toEqual({ exitCode: 143, isCutShort: true });
    expect(40 * DAY_MS - now).toBe(10_250);
    expect(looks).toBeLessThan(100);
  } finally {
    timers.mockRestore();
  }
});

test('a signal while the command starts ends it, and is not reported as a loss', async () => {
  const signal = AbortSignal.abort(new EndedBySignal('SIGTERM'));
  const hold = { remainingMs: () => 30_000, signal } as unknown as Hold;
  let exit: (code: number) => void = () => {};
  const ended = new Promise<number>((resolve) => {
    exit = resolve;
  });
  const child = { ended, end: async () => exit(143) } as unknown as CommandChild;
  const onLoss = vi.fn();
  const times = { leaseMs: 30_000, graceMs: 10_000 };
  expect((await runCommandUnderHold(hold, child, times, onLoss)).exitCode).toBe(143);
  expect(onLoss).not.toHaveBeenCalled();
});
