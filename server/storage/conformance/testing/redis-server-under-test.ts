import { Redis } from 'ioredis';
import { openTestDatabase } from '@/db/testing/test-database';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import { TcpProxy } from '@/test/tcp-proxy';
import { StoreIncarnation } from '../../incarnation/store-incarnation';
import { RedisStore } from '../../redis/redis-store';
import { CONNECTION_FAULTS } from './connection-faults';
import type { BadDay, ServerKind, ServerUnderTest } from './server-kind';
import { startProcess } from './start-process';

export const redisServerKind: ServerKind = {
  cannotHave: {},
  isShared: true,
  start: startRedisUnderTest,
};

/** Flushes every write: `redis-losses.test.ts` tests crashes of a Redis that does not. */
async function startRedisUnderTest(): Promise<ServerUnderTest> {
  const server = await startPrivateRedis({ durable: true });
  const { port } = new URL(server.url);
  const proxy = await TcpProxy.start('127.0.0.1', Number(port));
  const database = await openTestDatabase('sqlite');
  const openAt = async (url: string) =>
    new RedisStore(url, await StoreIncarnation.open(database, 'default', Date.now()));
  return {
    join: () => startProcess(() => openAt(`redis://127.0.0.1:${proxy.port}`)),
    truth: () => openAt(server.url),
    begin: (day) => DAYS[day]({ server, proxy }),
    async stop() {
      await proxy.close();
      await server.stop();
      await database.close();
    },
  };
}

interface FaultTarget {
  server: Awaited<ReturnType<typeof startPrivateRedis>>;
  proxy: TcpProxy;
}

const DAYS: Record<BadDay, (target: FaultTarget) => Promise<() => Promise<void>>> = {
  ...CONNECTION_FAULTS,
  full: ({ server }) => setting(server.url, 'maxmemory', '1mb', '0'),
  'read-only': ({ server }) => setting(server.url, 'min-replicas-to-write', '1', '0'),
};

async function setting(
  url: string,
  name: string,
  bad: string,
  good: string,
): Promise<() => Promise<void>> {
  const set = async (value: string) => {
    const admin = new Redis(url, { protocol: 2 });
    await admin.config('SET', name, value);
    admin.disconnect();
  };
  await set(bad);
  return () => set(good);
}
