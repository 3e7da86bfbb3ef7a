import { Redis } from 'ioredis';
import { Mutex } from 'redis-semaphore';
import Redlock, { ExecutionError, type Lock } from 'redlock';
import type { BenchLock } from '../bench-lock';

const LEASE_MS = 30_000;

/** The npm package `redlock` on one Redis, as its README uses it; it tries once. */
export function openRedlock(url: string): BenchLock {
  const redis = new Redis(url);
  const redlock = new Redlock([redis], { retryCount: 0 });
  const held = new Map<string, Lock>();
  return {
    name: 'npm redlock',
    async tryAcquire(name, owner) {
      try {
        held.set(owner, await redlock.acquire([`redlock:${name}`], LEASE_MS));
        return 'held';
      } catch (error) {
        if (error instanceof ExecutionError) return null;
        throw error;
      }
    },
    async release(_name, owner) {
      await taken(held, owner).release();
    },
    async close() {
      redis.disconnect();
    },
  };
}

/** The `Mutex` of the npm package `redis-semaphore`, with its own renewal. */
export function openRedisSemaphore(url: string): BenchLock {
  const redis = new Redis(url);
  const held = new Map<string, Mutex>();
  return {
    name: 'npm redis-semaphore',
    async tryAcquire(name, owner) {
      const mutex = new Mutex(redis, `semaphore:${name}`, {
        lockTimeout: LEASE_MS,
        acquireAttemptsLimit: 1,
      });
      if (!(await mutex.tryAcquire())) return null;
      held.set(owner, mutex);
      return 'held';
    },
    async release(_name, owner) {
      await taken(held, owner).release();
    },
    async close() {
      redis.disconnect();
    },
  };
}

/** Removes and returns what an owner holds. */
function taken<T>(held: Map<string, T>, owner: string): T {
  const found = held.get(owner);
  if (!found) throw new Error('The bench lost a lock.');
  held.delete(owner);
  return found;
}
