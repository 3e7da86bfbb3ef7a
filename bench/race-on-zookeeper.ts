import { type Client, CreateMode, createClient } from 'node-zookeeper-client';
import { parseZookeeperUrl } from '@/db/urls/zookeeper-url';
import { openZookeeperStore } from '@/server/storage/zookeeper/zookeeper-store';
import type { BenchLock } from './bench-lock';
import { closedLoop } from './closed-loop';
import { lockyardLockOver } from './lockyard-lock';
import { raceLongQueue } from './long-queue';
import { openBenchStore } from './open-bench-store';
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

/** Parents made at once, before the race. */
const AT_ONCE = 500;

/**
 * The recipe of ZooKeeper's own documentation, for one try: an ephemeral sequential znode under the
 * lock's; the lowest holds. One session, nothing remembered: no token, no lease, no history.
 *
 * @param locks whose parents are made beforehand, so that the race does not pay for them
 */
async function openRecipeLock(server: string, locks: string[]): Promise<BenchLock> {
  const client = createClient(new URL(server.replace(/^zookeeper:/, 'http:')).host);
  const connected = new Promise<void>((resolve) => client.once('connected', resolve));
  client.connect();
  await connected;
  const root = `/recipe-${process.pid}`;
  await create(client, root);
  for (let i = 0; i < locks.length; i += AT_ONCE) {
    const some = locks.slice(i, i + AT_ONCE);
    await Promise.all(some.map((lock) => create(client, `${root}/${lock}`)));
  }
  return {
    name: 'recipe of ephemeral sequential znodes',
    async tryAcquire(lock) {
      const parent = `${root}/${lock}`;
      const own = await create(client, `${parent}/n`, CreateMode.EPHEMERAL_SEQUENTIAL);
      const names = await children(client, parent);
      if (names.every((name) => `${parent}/${name}` >= own)) return own;
      await remove(client, own);
      return null;
    },
    release: (_lock, _owner, own) => remove(client, own),
    async close() {
      client.close();
    },
  };
}

function create(client: Client, path: string, mode = CreateMode.PERSISTENT): Promise<string> {
  return new Promise((resolve, reject) => {
    client.create(path, mode, (error, created) => (error ? reject(error) : resolve(created)));
  });
}

function children(client: Client, path: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    client.getChildren(path, (error, names) => (error ? reject(error) : resolve(names)));
  });
}

function remove(client: Client, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.remove(path, (error) => (error ? reject(error) : resolve()));
  });
}
