import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/**
 * A Lua script, which Redis runs as one step: no other command runs in between. Only its digest is
 * sent, or the whole script to a server that does not have it yet.
 */
export function redisScript<Answer>(lua: string) {
  const digest = createHash('sha1').update(lua).digest('hex');
  return async (redis: Redis, keys: string[], args: (string | number)[]): Promise<Answer> => {
    try {
      return (await redis.evalsha(digest, keys.length, ...keys, ...args)) as Answer;
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return (await redis.eval(lua, keys.length, ...keys, ...args)) as Answer;
    }
  };
}
