import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';

/** A private prefix for keys on a server, and connections to it. */
export interface ScratchRedis {
  redis: Redis;
  prefix: string;
  connect(): Redis;
  /** Ends all connections, and removes all keys with the prefix. */
  close(): Promise<void>;
}

/** Opens it on the server of the tests. */
export function openScratchRedis(): ScratchRedis {
  const { TEST_REDIS_URL: url } = process.env;
  if (!url) throw new Error('TEST_REDIS_URL must name a Redis server for the tests.');
  const prefix = `strategies-${randomBytes(6).toString('hex')}:`;
  const connections: Redis[] = [];
  const connect = () => {
    const redis = new Redis(url);
    connections.push(redis);
    return redis;
  };
  const redis = connect();
  return {
    redis,
    prefix,
    connect,
    async close() {
      for await (const keys of redis.scanStream({ match: `${prefix}*`, count: 1_000 })) {
        if (keys.length > 0) await redis.del(keys);
      }
      for (const each of connections) each.disconnect();
    },
  };
}
