import type { BackendUrl } from '@/db/urls/backend-url';
import { readMysqlFacts } from './mysql/mysql-facts';
import { mysqlGuarantees } from './mysql/mysql-guarantees';
import type { Guarantees } from './record-store';
import { RedisConnection } from './redis/redis-connection';
import { readRedisFacts } from './redis/redis-facts';
import { redisGuarantees } from './redis/redis-guarantees';
import { readZookeeperFacts } from './zookeeper/guard/zookeeper-facts';
import { zookeeperGuarantees } from './zookeeper/guard/zookeeper-guarantees';

const ANSWER_WITHIN_MS = 4_000;

/** What a store can promise with its present settings, asked without opening it for locks. */
export async function readGuarantees(
  url: Exclude<BackendUrl, { kind: 'sqlite' }>,
): Promise<Guarantees> {
  if (url.kind === 'mysql') return mysqlGuarantees(await readMysqlFacts(url.url, ANSWER_WITHIN_MS));
  if (url.kind === 'zookeeper') {
    const { servers, credentials, tls } = url;
    const addresses = servers.map((server) => ({ ...server, credentials, tls }));
    return zookeeperGuarantees(await readZookeeperFacts(addresses));
  }
  const nothingGuarded = { admit: async () => null, noteRefusal: () => undefined };
  const connection = new RedisConnection(url.url, ANSWER_WITHIN_MS, nothingGuarded);
  try {
    return redisGuarantees(await connection.queryUnguarded(readRedisFacts), null);
  } finally {
    connection.close();
  }
}
