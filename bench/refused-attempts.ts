import { migrate } from '@/db/migrate';
import { openDatabase } from '@/db/open-database';
import { TimeSlice } from '@/server/monitoring/lock-list/order/time-slice';
import { KnownRefusals } from '@/server/monitoring/refusals/known-refusals';
import { RefusalCounter } from '@/server/monitoring/refusals/refusal-counter';
import { RefusalSync } from '@/server/monitoring/refusals/refusal-sync';
import { countRefusal } from '@/server/operations/locks/for-services/count-refusal';
import { systemClock } from '@/server/platform/clock';
import { Periodic } from '@/server/platform/periodic';
import { openStore } from '@/server/storage/open-store';
import type { BenchLock } from './bench-lock';
import { closedLoop, type Load } from './closed-loop';
import { freshDatabase } from './fresh-database';
import { lockyardLockOver, openLockyardLock } from './lockyard-lock';
import { race } from './race';

const CALLERS = 50;
const AT_LEAST = 0.97;

/** How often a server adds counts up. */
const SYNC_EVERY_MS = 2_000;

const LOADS = [
  { names: 1, title: 'one name' },
  { names: 20, title: '20 names' },
];

/**
 * Measures attempts of which nearly all are refused, with and without counting them by lock and
 * owner.
 */
export async function raceRefusals(
  server: string,
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<void> {
  const plain = await openLockyardLock(await freshDatabase(server, 'bench_uncounted'));
  const counting = await openCounting(await freshDatabase(server, 'bench_counted'));
  for (const { names, title } of LOADS) {
    const nextLock = () => `lock-${Math.floor(Math.random() * names)}`;
    const load: Load = { callers: CALLERS, nextLock, counts: 'attempts' };
    const contestant = (lock: BenchLock) => ({
      name: lock.name,
      run: () => closedLoop(lock, load, roundMs),
    });
    await race(
      `MariaDB: attempts of ${CALLERS} callers on ${title}, refused ones counted or not`,
      [contestant(plain), contestant(counting)],
      [{ over: plain.name, atLeast: AT_LEAST }],
      rounds,
    );
  }
  await plain.close();
  await counting.close();
}

/** The engine as a server runs it: every answer is counted, and the counts go to the roll-ups. */
async function openCounting(url: string): Promise<BenchLock> {
  const database = await openDatabase({ kind: 'mysql', url });
  await migrate(database);
  const store = await openStore({ kind: 'mysql', url }, database, systemClock);
  const counter = new RefusalCounter();
  const sync = new RefusalSync({
    database,
    processId: 'bench',
    counter,
    known: new KnownRefusals(),
    onChange: () => {},
    slice: () => new TimeSlice(() => systemClock.monotonic()),
  });
  const job = new Periodic({
    job: 'bring refused attempts together',
    everyMs: SYNC_EVERY_MS,
    run: () => sync.run(),
  }).start();
  const close = async () => {
    await job.stop();
    await database.close();
  };
  const ctx = { runtime: { refusals: counter, clock: systemClock } };
  return lockyardLockOver(
    store,
    { close },
    { name: 'Lockyard, counting refusals', mode: 'exclusive' },
    (engine, key, caller, answer) => countRefusal(ctx, engine, key, caller, answer),
  );
}
