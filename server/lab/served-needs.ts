import type { StrategyNeed } from '@/server/strategies/catalogue';
import type { LabServers } from './lab-order';

const QUORUM = 3;

/** The server that each need is met by, for people; null if there is none. */
export function servedNeeds({
  mysql,
  redis = [],
  zookeeper,
}: LabServers): Record<StrategyNeed, string | null> {
  return {
    sql: mysql ? 'MySQL' : 'embedded SQLite',
    mysql: mysql ? 'MySQL' : null,
    redis: redis.length > 0 ? 'Redis' : null,
    'redis quorum': redis.length >= QUORUM ? `${QUORUM} Redis` : null,
    zookeeper: zookeeper ? 'ZooKeeper' : null,
  };
}

/** What an entry runs on, such as `Redis + MySQL`; null where a need is not served. */
export function servedBy(needs: readonly StrategyNeed[], servers: LabServers): string | null {
  const served = servedNeeds(servers);
  const names = needs.map((need) => served[need]);
  return names.includes(null) ? null : names.join(' + ');
}
