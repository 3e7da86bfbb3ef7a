import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import type { LabProgress } from '../contract/console/lab/lab-race';
import { systemClock } from '../platform/clock';
import { ENDING_SIGNALS } from '../platform/process/ending-signals';
import type { LabOrder } from './lab-order';
import { runRace } from './race/run-race';

/**
 * The program of one race, as a child of the server or of the command. Its argument is its
 * niceness. It reads its order as one line of JSON, reports progress as lines of JSON, and ends
 * with the race. The end of its input, or one of `ENDING_SIGNALS`, stops the race; so it also ends
 * if its parent ends, for whatever reason.
 */
function start(niceness: number): void {
  try {
    setPriority(niceness);
  } catch {
    // This system has no priorities: the race runs anyway.
  }
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of ENDING_SIGNALS) process.on(signal, stop);
  // Caused by drivers whose connection was closed; it affects no result.
  process.on('unhandledRejection', (error) => {
    process.stderr.write(`An unhandled error in a race: ${(error as Error)?.message ?? error}\n`);
  });
  const lines = createInterface({ input: process.stdin });
  lines.once('line', (line) => void race(JSON.parse(line) as LabOrder, stopping.signal));
  lines.once('close', stop);
}

async function race(order: LabOrder, stopping: AbortSignal): Promise<void> {
  await runRace(order, {
    pausedProgram: new URL('./paused-thread.mjs', import.meta.url),
    clock: systemClock,
    stopping,
    report,
  });
  process.exit(0);
}

function report(message: LabProgress): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

start(Number(process.argv[2]));
