import { Redis } from 'ioredis';
import { connectDriver, redisOptions } from '../../storage/redis/redis-connection';

const CONNECT_TIMEOUT_MS = 3_000;

/** `host:port`. */
export function redisAddress(url: string): string {
  const { host, port } = redisOptions(url);
  return `${host}:${port}`;
}

/**
 * A connection that never sends anything twice, and fails every call once it is broken. Rejects if
 * the server refuses the database in the URL.
 */
export async function connectRedis(url: string): Promise<Redis> {
  const redis = new Redis({
    ...redisOptions(url),
    connectTimeout: CONNECT_TIMEOUT_MS,
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // The calls that fail because of it report the error themselves.
  redis.on('error', () => undefined);
  await connectDriver(redis);
  return redis;
}
