import type { Redis } from 'ioredis';
import type { RedisScript } from '@/server/backends/redis-script';

/** The name by which a Redis knows a script, as it would be sent. */
export function shaOf(script: RedisScript): string {
  let sha = '';
  const call = async (_: string, name: string) => {
    sha = name;
  };
  void script.run({ call } as unknown as Redis, []);
  return sha;
}
