import type { Redis } from 'ioredis';
import { withFairQueueLock } from '@/server/strategies/redis/fair-queue-lock';
import { withHashCountedLock } from '@/server/strategies/redis/hash-counted-lock';
import {
  LocallyCountedLocks,
  withLocallyCountedLock,
} from '@/server/strategies/redis/locally-counted-lock';
import { withQuorumLock } from '@/server/strategies/redis/quorum-lock';
import {
  setRedisCounter,
  takeAtomically,
  wronglyTake,
} from '@/server/strategies/redis/redis-counter';
import { withSetNxPxLock } from '@/server/strategies/redis/set-nx-px-lock';
import { withSetnxLock } from '@/server/strategies/redis/setnx-expire-lock';
import { withSharedExclusiveLock } from '@/server/strategies/redis/shared-exclusive-lock';
import { withWatchdogLock } from '@/server/strategies/redis/watchdog-lock';
import type { EntryParts, RaceEntry } from '../race/race-entry';
import { type Confirmation, STOCK_KEY, type Think } from '../race/stock';
import { QUORUM } from '../served-needs';

const NAME = STOCK_KEY.sku;

type Sell = () => Promise<Confirmation>;

const optionsOf = ({ servers, prefix, leaseMs, waitMs, pollEveryMs, note }: EntryParts) => ({
  prefix: `${servers.redisPrefix}${prefix}`,
  leaseMs,
  waitMs,
  pollEveryMs,
  note,
});

type Options = ReturnType<typeof optionsOf>;

/** A lock on one Redis, which protects an unguarded sale. */
const lock = (
  withLock: (redis: Redis, options: Options, sell: Sell) => Promise<Confirmation>,
): RaceEntry => ({
  async open(parts) {
    const redis = await parts.servers.redis();
    const options = optionsOf(parts);
    return {
      confirm: (think) => withLock(redis, options, () => parts.stock.sellUnguarded(think)),
    };
  },
});

/** A counter on Redis. A unit taken from it is sold by an order line in a separate database. */
const counter = (
  take: (redis: Redis, key: string, think: Think) => Promise<number | null>,
): RaceEntry => {
  const keyOf = ({ servers, prefix }: EntryParts) => `${servers.redisPrefix}${prefix}stock`;
  return {
    async prepare(parts) {
      const redis = await parts.servers.redis();
      await setRedisCounter(redis, keyOf(parts), await parts.stock.quantity());
    },
    async open(parts) {
      const redis = await parts.servers.redis();
      const key = keyOf(parts);
      return {
        async confirm(think) {
          if ((await take(redis, key, think)) === null) return 'sold out';
          await parts.stock.addOrderLine();
          return 'sold';
        },
        left: async () => Number(await redis.get(key)),
      };
    },
  };
};

/** Strategies 11 to 17. */
export const redisEntries: Record<string, RaceEntry> = {
  'setnx-expire-lock': lock((redis, options, sell) => withSetnxLock(redis, NAME, sell, options)),
  'set-nx-px-lock': lock((redis, options, sell) => withSetNxPxLock(redis, NAME, sell, options)),
  'locally-counted-lock': {
    async open(parts) {
      const { waitMs, pollEveryMs, note, ...lease } = optionsOf(parts);
      const locks = new LocallyCountedLocks(await parts.servers.redis(), lease);
      return {
        confirm: (think) =>
          withLocallyCountedLock(locks, NAME, () => parts.stock.sellUnguarded(think), {
            waitMs,
            pollEveryMs,
            note,
          }),
      };
    },
  },
  'hash-counted-lock': lock((redis, options, sell) =>
    withHashCountedLock(redis, NAME, sell, options),
  ),
  'watchdog-lock': lock((redis, options, sell) => withWatchdogLock(redis, NAME, sell, options)),
  'fair-queue-lock': lock((redis, options, sell) => withFairQueueLock(redis, NAME, sell, options)),
  'shared-exclusive-lock': lock((redis, options, sell) =>
    withSharedExclusiveLock(redis, NAME, 'exclusive', sell, options),
  ),
  'quorum-lock': {
    async open(parts) {
      const nodes = await Promise.all(
        Array.from({ length: QUORUM }, (_, node) => parts.servers.redis(node)),
      );
      const options = optionsOf(parts);
      return {
        confirm: (think) =>
          withQuorumLock(nodes, NAME, () => parts.stock.sellUnguarded(think), options),
      };
    },
  },
  'redis-counter': counter(async (redis, key, think) => {
    await think();
    return takeAtomically(redis, key);
  }),
  'redis-counter-read-then-write': counter((redis, key, think) =>
    wronglyTake(redis, key, { think }),
  ),
};
