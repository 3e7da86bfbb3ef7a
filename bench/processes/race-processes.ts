import { freshDatabase } from '../fresh-database';
import { race } from '../race';
import { type LockProcesses, startLockProcesses } from './lock-processes';

const NAMES = 10_000;
const ALONE = 'one process, 50 callers';

/** Measures whether a second process over the same database costs more than it gains. */
export async function raceProcesses(
  server: string,
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<void> {
  const one = await startLockProcesses(await freshDatabase(server, 'bench_one_process'), 1);
  const two = await startLockProcesses(await freshDatabase(server, 'bench_two_processes'), 2);
  const contestant = (name: string, processes: LockProcesses, callers: number[]) => ({
    name,
    async run() {
      const { perSecond } = await processes.cycles({ callers, names: NAMES, forMs: roundMs });
      return perSecond;
    },
  });
  await race(
    'MariaDB: acquire + release, random of 10,000 names, in processes of their own',
    [contestant(ALONE, one, [50]), contestant('two processes, 25 callers each', two, [25, 25])],
    [{ over: ALONE, atLeast: 0.85 }],
    rounds,
  );
  await one.close();
  await two.close();
}
