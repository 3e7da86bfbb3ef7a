import { rendezvousHash } from '@/server/core/rendezvous-hash';
import type { LockEngine } from '@/server/engine/lock-engine';
import { SHARD_NAMES } from './sim-shards';
import type { Flaws } from './sim-world';

/** Builds that are broken in how they spread names over shards. Only a sharded world reveals it. */
export const SHARDED_BUILDS: Record<string, Flaws> = {
  'processes that shard names by different lists': {
    homeOf: (honest, { world, id }) => {
      const isSecond = world.processes.findIndex((process) => process.id === id) % 2 === 1;
      return isSecond ? rendezvousHash([...SHARD_NAMES].map((name) => `${name}2`)) : honest;
    },
  },
  'a set over shards that is granted shard by shard': {
    engine: (honest) => {
      const acquire: LockEngine['multiLocks']['acquire'] = async (namespace, ask, wait) => {
        const taken = await Promise.all(
          ask.locks.map((lock) =>
            honest.multiLocks
              .acquire(namespace, { ...ask, locks: [lock] }, wait)
              .catch(() => ({ outcome: 'ended' }) as const),
          ),
        );
        const grants = taken.flatMap((one) => (one.outcome === 'granted' ? one.grants : []));
        const [first] = taken;
        return first?.outcome === 'granted' ? { ...first, grants } : (first as never);
      };
      return Object.assign(Object.create(honest), {
        multiLocks: { ...honest.multiLocks, acquire },
      });
    },
  },
  'one clock for all shards': {
    database: { ignoresClock: true },
    store: (honest, { world }) => {
      const store: typeof honest = Object.create(honest);
      store.read = async (...asked) => {
        const { records, storedAnswers } = await honest.read(...asked);
        const now = Math.max(...world.databases.map((database) => database.now()));
        return { records: records.map((read) => ({ ...read, now })), storedAnswers };
      };
      return store;
    },
  },
};
