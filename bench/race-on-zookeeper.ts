import { createClient } from 'node-zookeeper-client';
import { EphemeralSequentialLocks } from '@/server/strategies/zookeeper/ephemeral-sequential-lock';
import type { BenchLock } from './bench-lock';
import { closedLoop } from './closed-loop';
import { raceLongQueue } from './long-queue';
import { openWholeLockyard } from './processes/whole-lockyard';
import { race } from './race';

const LOCKS = Array.from({ length: 10_000 }, (_, i) => `lock-${i}`);

const LOAD = {
  callers: 50,
  nextLock: () => LOCKS[Math.floor(Math.random() * LOCKS.length)] ?? '',
  counts: 'cycles',
} as const;

/**
 * Measures acquire and release on a ZooKeeper that flushes every write. Both contestants use one
 * session.
 */
export async function raceOnZookeeper(
  server: string,
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<void> {
  const opponent = await openRecipeLock(server, LOCKS);
  const ours = await openWholeLockyard({ backendUrl: `${server}/bench-${process.pid}` });
  const contestant = (lock: BenchLock) => ({
    name: lock.name,
    run: () => closedLoop(lock, LOAD, roundMs),
    after: lock.recorded,
  });
  await race(
    `ZooKeeper: acquire + release, random of 10,000 names, ${LOAD.callers} callers`,
    [contestant(opponent), contestant(ours)],
    [{ over: opponent.name, atLeast: 1.5 }],
    rounds,
  );
  await raceLongQueue('ZooKeeper', ours, rounds);
  await opponent.close();
  await ours.close();
}

/** The number of parents created at a time, before the race. */
const AT_ONCE = 500;

/**
 * Strategy 18, the recipe of ZooKeeper's own documentation, for one try: an ephemeral sequential
 * znode under the lock's; the lowest one holds the lock. It uses one session and has no token, no
 * lease and no history.
 *
 * @param names the names whose parents are created beforehand, so that the race does not include
 *   that time
 */
async function openRecipeLock(server: string, names: string[]): Promise<BenchLock> {
  const client = createClient(new URL(server.replace(/^zookeeper:/, 'http:')).host);
  const connected = new Promise<void>((resolve) => client.once('connected', resolve));
  client.connect();
  await connected;
  const locks = new EphemeralSequentialLocks(client, `/recipe-${process.pid}`);
  for (let i = 0; i < names.length; i += AT_ONCE) {
    await Promise.all(names.slice(i, i + AT_ONCE).map((name) => locks.prepare(name)));
  }
  return {
    name: 'recipe of ephemeral sequential znodes',
    tryAcquire: (lock) => locks.tryLock(lock),
    release: (_lock, _owner, own) => locks.unlock(own),
    async close() {
      client.close();
    },
  };
}
