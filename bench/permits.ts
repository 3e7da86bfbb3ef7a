import { closedLoop, type Load } from './closed-loop';
import { freshDatabase } from './fresh-database';
import { openLockyardLock } from './lockyard-lock';
import { race } from './race';

const CAPACITY = 10;
const CALLERS = 50;
const AT_LEAST = 0.8;

/** One name that all callers want, shared by all of them or with permits for some. */
export async function racePermits(
  server: string,
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<void> {
  const shared = await openLockyardLock(await freshDatabase(server, 'bench_shared'), {
    name: 'shared holds',
    mode: 'shared',
  });
  const permits = await openLockyardLock(await freshDatabase(server, 'bench_permits'), {
    name: `${CAPACITY} permits`,
    mode: 'permit',
    permits: 1,
    capacity: CAPACITY,
  });
  const load: Load = { callers: CALLERS, nextLock: () => 'hot', counts: 'attempts' };
  await race(
    `MariaDB: ${CALLERS} callers trying one name, to share it or for one of ${CAPACITY} permits`,
    [shared, permits].map((lock) => ({
      name: lock.name,
      run: () => closedLoop(lock, load, roundMs),
    })),
    [{ over: shared.name, atLeast: AT_LEAST }],
    rounds,
  );
  await shared.close();
  await permits.close();
}
