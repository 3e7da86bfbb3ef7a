import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Rounds } from '../race-handlers';

/** The argument of the program `http-race`, as JSON. */
export type HttpRace = Rounds &
  (
    | { name: 'handlers' }
    /** With the URLs of two empty databases. */
    | { name: 'end to end'; opponent: string; ours: string }
  );

/**
 * Runs a race over HTTP in a new process, like a production server: earlier work in a process slows
 * its server. The process prints the result of the race.
 */
export async function runHttpRace(order: HttpRace): Promise<void> {
  const program = fileURLToPath(new URL('http-race.mjs', import.meta.url));
  const [code] = await once(fork(program, [JSON.stringify(order)]), 'exit');
  if (code !== 0) throw new Error(`The race over HTTP, ${order.name}, failed.`);
}
