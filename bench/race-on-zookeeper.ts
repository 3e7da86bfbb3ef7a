import { parseZookeeperUrl } from '@/db/urls/zookeeper-url';
import { openZookeeperStore } from '@/server/storage/zookeeper/zookeeper-store';
import type { BenchLock } from './bench-lock';
import { closedLoop } from './closed-loop';
import { lockyardLockOver } from './lockyard-lock';
import { raceLongQueue } from './long-queue';
import { openBenchStore } from './open-bench-store';
import { race } from './race';
import { openRecipeLock } from './recipe-lock';

const LOCKS = Array.from({ length: 10_000 }, (_, i) => `lock-${i}`);

const LOAD = {
  callers: 50,
  nextLock: () => LOCKS[Math.floor(Math.random() * LOCKS.length)] ?? '',
  counts: 'cycles',
} as const;

/** Acquire and release on a ZooKeeper that flushes every write. Both use one session. */
export async function raceOnZookeeper(
  server: string,
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<void> {
  const place = parseZookeeperUrl(`${server}/bench-${process.pid}`);
  if (typeof place === 'string') throw new Error(`BENCH_ZOOKEEPER_URL ${place}.`);
  const control = await openBenchStore();
  const store = await openZookeeperStore(place, control.life);
  const opponent = await openRecipeLock(server, LOCKS);
  const ours = await lockyardLockOver(store, store);
  const contestant = (lock: BenchLock) => ({
    name: lock.name,
    run: () => closedLoop(lock, LOAD, roundMs),
  });
  await race(
    `ZooKeeper: acquire + release, random of 10,000 names, ${LOAD.callers} callers`,
    [contestant(opponent), contestant(ours)],
    [{ over: opponent.name, atLeast: 0.7 }],
    rounds,
  );
  await raceLongQueue('ZooKeeper', ours, rounds);
  await opponent.close();
  await ours.close();
  await control.close();
}
