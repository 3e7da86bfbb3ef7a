import { closedLoop, type Load } from './closed-loop';
import { freshDatabase } from './fresh-database';
import { openLockyardLock } from './lockyard-lock';
import { race } from './race';

const CAPACITY = 10;

/**
 * An attempt that finds no permit left writes nothing, and only ten of 50 callers hold permits at a
 * time. So the table also shows whole cycles, also with as many callers as permits: the same work
 * as with shared holds.
 */
const LOADS = [
  { callers: 50, counts: 'attempts', atLeast: 0.8 },
  { callers: 50, counts: 'cycles' },
  { callers: CAPACITY, counts: 'cycles', atLeast: 0.8 },
] as const;

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
  for (const { callers, counts, ...bar } of LOADS) {
    const load: Load = { callers, nextLock: () => 'hot', counts };
    await race(
      `MariaDB: ${callers} callers on one name, shared or of ${CAPACITY} permits, ${counts}`,
      [shared, permits].map((lock) => ({
        name: lock.name,
        run: () => closedLoop(lock, load, roundMs),
      })),
      [{ over: shared.name, ...bar }],
      rounds,
    );
  }
  await shared.close();
  await permits.close();
}
