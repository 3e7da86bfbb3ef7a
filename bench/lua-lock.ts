import { Redis, type Result } from 'ioredis';
import type { BenchLock } from './bench-lock';

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

/** Taken if nobody has it, under a fencing token that rises. */
const ACQUIRE = `
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return tostring(redis.call('INCR', KEYS[2]))
end
return false
`;

/** Given back by whoever has it. */
const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`;

/**
 * The lock that a good hand writes on Redis: two scripts, one connection that sends what one turn of the event loop asks for
 * together. No queue, no history, no remembered answers.
 */
export async function openLuaLock(url: string): Promise<BenchLock & { close(): Promise<void> }> {
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
