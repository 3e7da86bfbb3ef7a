import { Redis } from 'ioredis';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';

/** Three independent Redis servers, with a connection to each. */
export async function startRedisNodes() {
  const servers = await Promise.all([1, 2, 3].map(() => startPrivateRedis()));
  const nodes = servers.map(({ url }) => new Redis(url));
  return {
    nodes,
    servers,
    async stop() {
      for (const node of nodes) node.disconnect();
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}
