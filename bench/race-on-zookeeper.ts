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

/** Acquire and release on a ZooKeeper that flushes every write. Both use one session. */
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

/** Parents made at once, before the race. */
const AT_ONCE = 500;

/**
 * Strategy 18, the recipe of ZooKeeper's own documentation, for one try: an ephemeral sequential
 * znode under the lock's; the lowest holds. One session, nothing remembered: no token, no lease, no
 * history.
 *
 * @param names whose parents are made beforehand, so that the race does not pay for them
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
