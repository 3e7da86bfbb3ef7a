import { Redis } from 'ioredis';
import { trySetNxPxLock, unlockSetNxPx } from '@/server/strategies/redis/set-nx-px-lock';
import type { BenchLock } from './bench-lock';
import { closedLoop } from './closed-loop';
import { raceLongQueue } from './long-queue';
import { openWholeLockyard } from './processes/whole-lockyard';
import { race } from './race';

const NAMES = 10_000;

const WORKLOADS = [
  { callers: 50, atLeast: 1, aim: 1.5 },
  { callers: 500, atLeast: 1, aim: 1.5 },
];

const randomName = () => `lock-${Math.floor(Math.random() * NAMES)}`;

/**
 * Measures acquire and release on a Redis. Both contestants use one connection and the same
 * durability of the server.
 */
export async function raceOnRedis(
  server: string,
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<void> {
  const opponent = await openLuaLock(server);
  const ours = await openWholeLockyard({ backendUrl: server });
  for (const { callers, ...bar } of WORKLOADS) {
    const load = { callers, nextLock: randomName, counts: 'cycles' } as const;
    const contestant = (lock: BenchLock) => ({
      name: lock.name,
      run: () => closedLoop(lock, load, roundMs),
      after: lock.recorded,
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
}

const LEASE_MS = 30_000;

/**
 * Strategy 12, the lock that an expert would write on Redis: two scripts, and one connection that
 * pipelines the requests of one turn of the event loop. It has no queue, no history and no
 * remembered answers.
 */
async function openLuaLock(url: string): Promise<BenchLock & { close(): Promise<void> }> {
  const redis = new Redis(url, { enableAutoPipelining: true });
  return {
    name: 'hand-written Lua over ioredis',
    async tryAcquire(lock, owner) {
      const token = await trySetNxPxLock(redis, lock, owner, { leaseMs: LEASE_MS });
      return token === null ? null : String(token);
    },
    async release(lock, owner) {
      if (!(await unlockSetNxPx(redis, lock, owner))) throw new Error('The bench lost a lock.');
    },
    async close() {
      redis.disconnect();
    },
  };
}
