import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** The fleet's own program, started with this argument, is the service that gets killed. */
export const CRASHING_ARGUMENT = 'doomed';

const ALIVE_MS = 12_000;
const DEAD_MS = 75_000;

/**
 * Starts a process that takes a lock, kills it while it holds it, lets the lease expire, and starts
 * again.
 */
export async function keepKilling(program: string): Promise<never> {
  for (;;) {
    const child = fork(program, [CRASHING_ARGUMENT], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.on('error', () => {});
    await sleep(ALIVE_MS);
    child.kill('SIGKILL');
    await sleep(DEAD_MS);
  }
}
