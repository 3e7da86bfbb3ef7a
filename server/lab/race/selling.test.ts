import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SerialQueue } from '@/server/platform/serial-queue';
import { catalogue } from '@/server/strategies/catalogue';
import { NotGranted } from '@/server/strategies/not-granted';
import { LAB_DEFAULTS } from '../../contract/console/lab/lab-race';
import type { Contender, EntryParts } from './race-entry';
import { Selling } from './selling';
import type { Confirmation } from './stock';
import { Tally } from './tally';

let nowMs: number;
beforeEach(() => {
  nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
afterEach(() => vi.restoreAllMocks());

/** Sells with a contender that needs no server. A paused buyer waits for two leases. */
function selling(
  confirm: Contender['confirm'],
  load: { workers: number; pause?: boolean; leaseMs?: number },
) {
  const [entry] = catalogue;
  if (!entry) throw new Error('The catalogue is empty.');
  const tally = new Tally();
  const stopping = new AbortController();
  const settings = { ...LAB_DEFAULTS, thinkMs: 0, perEntryMs: 60_000, leaseMs: 50, ...load };
  const order = { ...settings, strategies: [entry.id], runId: 'r', servers: {}, folder: '' };
  const context = {
    order,
    place: { runId: 'r', servers: {}, folder: '', connections: 1 },
    pausedProgram: new URL('file:///none'),
    report: () => undefined,
    stopping: stopping.signal,
  };
  const contender: Contender = { confirm };
  const raceEntry = { isServed: true, open: () => contender } as const;
  const parts = { prefix: '', waitMs: 1, pollEveryMs: 1 } as EntryParts;
  const run = () => new Selling({ entry, raceEntry, contender, parts, tally, context }).run();
  return { run, tally, stop: () => stopping.abort() };
}

test('the latency of an order includes its attempts that were not granted', async () => {
  let attempts = 0;
  const { run, tally } = selling(
    async () => {
      nowMs += 5_000;
      attempts += 1;
      if (attempts < 3) throw new NotGranted('kettle', 'no attempt succeeded');
      return 'sold out';
    },
    { workers: 1 },
  );
  await run();
  expect(tally.percentileMs(50)).toBe(15_000);
});

test('an order whose turn comes after the time limit is given up, and is no failure', async () => {
  const lock = new SerialQueue();
  const { run, tally } = selling(
    (think) =>
      lock.run<Confirmation>(async () => {
        await think();
        nowMs += 60_000;
        return 'sold';
      }),
    { workers: 5 },
  );
  expect(await run()).toMatchObject({ failure: null, ranOutOfTime: true, limitMs: 60_000 });
  expect(tally.sold).toBe(1);
});

test('a race that is stopped ends the pause of its paused worker', async () => {
  const { run, stop } = selling(
    async (think) => {
      await think();
      stop();
      return 'sold out';
    },
    { workers: 1, pause: true, leaseMs: 1_000_000 },
  );
  expect(await run()).toMatchObject({ failure: 'The race was stopped.', paused: 'sold out' });
});

test('a refused worker that checks again during a pause counts as refused once', async () => {
  let orders = 0;
  const { run, tally } = selling(
    async (think) => {
      orders += 1;
      const isPaused = orders === 1;
      await think();
      if (isPaused) nowMs += 5_000;
      return 'sold out';
    },
    { workers: 3, pause: true },
  );
  const { sellingMs, limitMs } = await run();
  expect(tally.answered).toBe(3);
  expect(sellingMs, 'the time until the last of them was refused').toBe(0);
  expect(limitMs, 'with the pause').toBe(60_100);
});
