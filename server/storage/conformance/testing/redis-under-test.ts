import { Redis } from 'ioredis';
import { openTestDatabase } from '@/db/testing/test-database';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import { StoreIncarnation } from '../../incarnation/store-incarnation';
import { RedisStore } from '../../redis/redis-store';

/**
 * Rarely: one that has to wait, as all writes do where a test makes one wait, keeps the later reads
 * of its connection waiting too.
 */
const HEARTBEAT_MS = 600_000;

/**
 * A server of its own: what makes writes wait on a Redis makes all of them wait.
 *
 * @param callMaxMs how long a call may take; by default as long as in production
 */
export async function openRedisUnderTest(callMaxMs?: number) {
  const server = await startPrivateRedis();
  return openStoreOn(server, server.url, callMaxMs);
}

/**
 * An empty store on a server, which is stopped with it.
 *
 * @param url the store's URL, perhaps of a user with few rights
 * @param callMaxMs as {@link openRedisUnderTest}
 */
export async function openStoreOn(
  server: Awaited<ReturnType<typeof startPrivateRedis>>,
  url: string,
  callMaxMs?: number,
) {
  const database = await openTestDatabase('sqlite');
  const opened: RedisStore[] = [];
  const open = async () => {
    const incarnation = await StoreIncarnation.open(database, 'default', Date.now());
    const store = new RedisStore(url, incarnation, { callMaxMs, heartbeatMs: HEARTBEAT_MS });
    opened.push(store);
    return store;
  };
  return {
    store: await open(),
    database,
    another: open,
    stallRow: () => pauseWrites(server.url),
    openGap: noYoungGaps,
    stallMemo: noYoungGaps,
    passMs(): never {
      throw new Error('The clock of a Redis cannot be moved.');
    },
    async close() {
      await Promise.all(opened.map((store) => store.close()));
      await server.stop();
      await database.close();
    },
  };
}

/** Redis has no row that could be held. */
async function pauseWrites(url: string): Promise<() => Promise<void>> {
  const admin = new Redis(url, { protocol: 2 });
  await admin.call('CLIENT', 'PAUSE', 60_000, 'WRITE');
  return async () => {
    await admin.call('CLIENT', 'UNPAUSE');
    admin.disconnect();
  };
}

function noYoungGaps(): never {
  throw new Error('A number of the history that Redis handed out can be read.');
}
