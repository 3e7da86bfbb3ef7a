import { Redis } from 'ioredis';
import { openTestDatabase } from '@/db/testing/test-database';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import { StoreIncarnation } from '../../incarnation/store-incarnation';
import { RedisStore } from '../../redis/redis-store';

/**
 * Rare: if a test makes writes wait, a heartbeat that waits would also delay the later reads of its
 * connection.
 */
const HEARTBEAT_MS = 600_000;

/**
 * Opens a store on a private server, since whatever makes a Redis delay writes delays all of them.
 *
 * @param callMaxMs how long a call may take; by default as long as in production
 */
export async function openRedisUnderTest(callMaxMs?: number) {
  const server = await startPrivateRedis();
  return openStoreOn(server, server.url, callMaxMs);
}

/**
 * Opens an empty store on a server, which is stopped with it.
 *
 * @param url the store's URL, perhaps of a user with few permissions
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
    stallAnswer: noYoungGaps,
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

/** Delays all writes, since Redis has no rows that could be locked. */
async function pauseWrites(url: string): Promise<() => Promise<void>> {
  const admin = new Redis(url, { protocol: 2 });
  await admin.call('CLIENT', 'PAUSE', 60_000, 'WRITE');
  return async () => {
    await admin.call('CLIENT', 'UNPAUSE');
    admin.disconnect();
  };
}

function noYoungGaps(): never {
  throw new Error('Every history id that Redis has assigned is visible.');
}
