import type { QueueingBenchLock } from './bench-lock';
import { median } from './median';

const SHORT = 50;
const LONG = 500;
/** How many short queues are measured for each long one, so that chance favours neither. */
const SHORT_RUNS = 5;
/**
 * Ten times as many hand-offs may take twelve times as long: the margin is for what a longer queue
 * costs each of them.
 */
const TIMES_AT_MOST = 12;

let lastLock = 0;

/**
 * How long it takes until each of a number of waiters, all queued by then, has had its turn and
 * handed the lock on.
 */
export async function handOffsMs(lock: QueueingBenchLock, waiters: number): Promise<number> {
  lastLock += 1;
  const name = `queued-for-${lastLock}`;
  const first = await lock.acquire(name, 'first');
  const turns = Array.from({ length: waiters }, async (_, i) => {
    const owner = `waiter-${i}`;
    await lock.release(name, owner, await lock.acquire(name, owner));
  });
  while ((await lock.queueLength(name)) < waiters) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const startedAt = performance.now();
  await lock.release(name, 'first', first);
  await Promise.all(turns);
  return performance.now() - startedAt;
}

/**
 * Measures one hot lock with a short queue and a long one, in turn: a hand-off must not cost more
 * in a longer queue.
 */
export async function raceLongQueue(
  store: string,
  lock: QueueingBenchLock,
  rounds: number,
): Promise<void> {
  const times: { shortMs: number; longMs: number }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    let shortMs = 0;
    for (let run = 0; run < SHORT_RUNS; run += 1) shortMs += await handOffsMs(lock, SHORT);
    shortMs /= SHORT_RUNS;
    const longMs = await handOffsMs(lock, LONG);
    if (round > 0) times.push({ shortMs, longMs });
  }
  const shown = (of: number[]) => `${Math.round(median(of)).toLocaleString('en')} ms`;
  console.log(`${store}: one lock handed on until its queue is empty`);
  console.log(`  ${SHORT} waiters: ${shown(times.map(({ shortMs }) => shortMs))}`);
  console.log(`  ${LONG} waiters: ${shown(times.map(({ longMs }) => longMs))}`);
  const ratio = median(times.map(({ shortMs, longMs }) => longMs / shortMs));
  console.log(`  ratio of their times: ${ratio.toFixed(1)} (at most ${TIMES_AT_MOST})`);
}
