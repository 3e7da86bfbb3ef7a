import { closedLoop } from './closed-loop';
import { freshDatabase } from './fresh-database';
import { openWholeLockyard } from './processes/whole-lockyard';
import { race } from './race';

const NAMES = 10_000;

const randomName = () => `lock-${Math.floor(Math.random() * NAMES)}`;

/** Measures the cost of the request ids that every client sends so that it can repeat its calls. */
export async function raceRequestIds(
  { mysql, redis }: { mysql: string; redis: string },
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<void> {
  const stores = [
    ['MariaDB', { databaseUrl: await freshDatabase(mysql, 'bench_requests') }],
    ['Redis', { backendUrl: redis }],
  ] as const;
  for (const [store, place] of stores) {
    const lockyard = await openWholeLockyard(place);
    for (const callers of [50, 500]) {
      const load = { callers, nextLock: randomName, counts: 'cycles' } as const;
      const contestants = [lockyard, lockyard.withRequestIds].map((lock) => ({
        name: lock.name,
        run: () => closedLoop(lock, load, roundMs),
        after: lockyard.recorded,
      }));
      await race(
        `${store}: acquire + release, random of 10,000 names, ${callers} callers`,
        contestants,
        [{ over: lockyard.name }],
        rounds,
      );
    }
    await lockyard.close();
  }
}
