import type { StrategyNeed } from '@/server/strategies/catalogue';
import type { LabServers } from './lab-order';

/** How many independent Redis nodes the quorum needs. */
export const QUORUM = 3;

/** The name of the server that meets each need; null if none does. */
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

/** The servers that an entry runs on, such as `Redis + MySQL`; null if a need is not met. */
export function servedBy(needs: readonly StrategyNeed[], servers: LabServers): string | null {
  const served = servedNeeds(servers);
  const names = needs.map((need) => served[need]);
  return names.includes(null) ? null : names.join(' + ');
}
