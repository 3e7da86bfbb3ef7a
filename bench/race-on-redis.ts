import { Redis, type Result } from 'ioredis';
import { RedisStore } from '@/server/storage/redis/redis-store';
import type { BenchLock } from './bench-lock';
import { closedLoop } from './closed-loop';
import { lockyardLockOver } from './lockyard-lock';
import { raceLongQueue } from './long-queue';
import { openBenchStore } from './open-bench-store';
import { race } from './race';

const NAMES = 10_000;

const WORKLOADS = [
  { callers: 50, atLeast: 0.5, aim: 1 },
  { callers: 500, atLeast: 0.7, aim: 1.5 },
];

const randomName = () => `lock-${Math.floor(Math.random() * NAMES)}`;

/**
 * Acquire and release on a Redis. Both contestants use one connection; the server's durability is
 * the same for both.
 */
export async function raceOnRedis(
  server: string,
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<void> {
  const control = await openBenchStore();
  const opponent = await openLuaLock(server);
  const ours = await lockyardLockOver(new RedisStore(server, control.life), control.database);
  for (const { callers, ...bar } of WORKLOADS) {
    const load = { callers, nextLock: randomName, counts: 'cycles' } as const;
    const contestant = (lock: BenchLock) => ({
      name: lock.name,
      run: () => closedLoop(lock, load, roundMs),
    });
    await race(
      `Redis: acquire + release, random of 10,000 names, ${callers} callers`,
      [contestant(opponent), contestant(ours)],
      [{ over: opponent.name, ...bar }],
      rounds,
    );
  }
  await raceLongQueue('Redis', ours, rounds);
  await opponent.close();
  await ours.close();
  await control.close();
}

declare module 'ioredis' {
  interface RedisCommander<Context> {
    benchAcquire(
      key: string,
      fence: string,
      owner: string,
      ttlMs: number,
    ): Result<string | null, Context>;
    benchRelease(key: string, owner: string): Result<number, Context>;
  }
}

const LEASE_MS = 30_000;

/** Granted if the lock is free, with a rising fencing token. */
const ACQUIRE = `
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return tostring(redis.call('INCR', KEYS[2]))
end
return false
`;

/** Released by its holder. */
const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`;

/**
 * The lock that an expert would write on Redis: two scripts, one connection that pipelines the
 * requests of one turn of the event loop. No queue, no history, no remembered answers.
 */
async function openLuaLock(url: string): Promise<BenchLock & { close(): Promise<void> }> {
  const redis = new Redis(url, {
    enableAutoPipelining: true,
    scripts: {
      benchAcquire: { numberOfKeys: 2, lua: ACQUIRE },
      benchRelease: { numberOfKeys: 1, lua: RELEASE },
    },
  });
  return {
    name: 'hand-written Lua over ioredis',
    tryAcquire: (lock, owner) => redis.benchAcquire(lock, `${lock}:fence`, owner, LEASE_MS),
    async release(lock, owner) {
      if ((await redis.benchRelease(lock, owner)) !== 1) throw new Error('The bench lost a lock.');
    },
    async close() {
      redis.disconnect();
    },
  };
}
