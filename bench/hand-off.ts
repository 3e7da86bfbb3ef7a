import mysql from 'mysql2/promise';
import {
  createLockResource,
  createLockResourceTable,
} from '@/server/strategies/sessions/lock-resource';
import { SessionLocks, withSessionLock } from '@/server/strategies/sessions/session-locks';
import type { BenchLock, WaitingBenchLock } from './bench-lock';
import { race } from './race';

const LOCK = 'handed-on';
const CALLERS = 50;
const POLL_EVERY_MS = 5;

/**
 * One way to wait for a lock, as the bench drives it: waits for its turn, then releases the lock
 * immediately.
 */
export interface BenchQueue {
  name: string;
  acquireAndRelease(owner: string): Promise<void>;
  /** See `recorded` in `BenchLock`. */
  recorded?: (() => Promise<void>) | undefined;
}

/** The opponent, used as its users wait for a lock: a refused caller retries a little later. */
export function polledQueue(lock: BenchLock): BenchQueue {
  return {
    name: `${lock.name}, polled every ${POLL_EVERY_MS} ms`,
    async acquireAndRelease(owner) {
      let grant = await lock.tryAcquire(LOCK, owner);
      while (grant === null) {
        await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
        grant = await lock.tryAcquire(LOCK, owner);
      }
      await lock.release(LOCK, owner, grant);
    },
  };
}

/**
 * Strategy 2: one transaction for each caller, all queueing in InnoDB for one row. It writes
 * nothing, so it flushes nothing: it has no lease and no token, and the lock ends with its
 * connection.
 */
export async function openRowQueue(url: string): Promise<BenchQueue & { close(): Promise<void> }> {
  const pool = mysql.createPool({ uri: url, connectionLimit: CALLERS, maxIdle: CALLERS });
  await createLockResourceTable(pool);
  await createLockResource(pool, LOCK);
  const locks = new SessionLocks(pool);
  return {
    name: 'SELECT … FOR UPDATE',
    acquireAndRelease: () => withSessionLock(locks, LOCK, async () => undefined),
    close: () => pool.end(),
  };
}

/** Lockyard's queue. */
export function lockyardQueue(lock: WaitingBenchLock): BenchQueue {
  return {
    name: lock.name,
    recorded: lock.recorded,
    async acquireAndRelease(owner) {
      const grant = await lock.acquire(LOCK, owner);
      await lock.release(LOCK, owner, grant);
    },
  };
}

/** Every caller waits for its next turn as soon as it has had one. Returns turns per second. */
async function rateOf(turns: BenchQueue, forMs: number): Promise<number> {
  const startedAt = performance.now();
  let taken = 0;
  const caller = async (_: unknown, i: number) => {
    while (performance.now() - startedAt < forMs) {
      await turns.acquireAndRelease(`caller-${i}`);
      taken += 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return (taken / (performance.now() - startedAt)) * 1_000;
}

export interface QueueContest {
  /** The opponent as its strategy describes it, and as an expert would write it. */
  polled: BenchQueue;
  polledWell: BenchQueue;
  row: BenchQueue;
  ours: BenchQueue;
}

/** One lock that all callers want, one after the other. */
export function raceQueues(
  { polled, polledWell, row, ours }: QueueContest,
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<void> {
  const contestant = (turns: BenchQueue) => ({
    name: turns.name,
    run: () => rateOf(turns, roundMs),
    after: turns.recorded,
  });
  return race(
    `MariaDB: one lock handed on among ${CALLERS} waiters`,
    [contestant(polled), contestant(polledWell), contestant(row), contestant(ours)],
    [{ over: polled.name, atLeast: 13 }, { over: polledWell.name }, { over: row.name, aim: 1 }],
    rounds,
  );
}
