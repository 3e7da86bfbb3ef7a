import type { CatalogueEntry, StrategyNeed } from '@/server/strategies/catalogue';
import type { LabEntry } from '../../contract/console/lab/lab-race';
import type { LabServers } from '../lab-order';
import { servedBy, servedNeeds } from '../served-needs';

const NEEDED: Record<StrategyNeed, string> = {
  sql: 'a database',
  mysql: 'MySQL or MariaDB (LOCKYARD_LAB_MYSQL_URL)',
  redis: 'Redis (LOCKYARD_LAB_REDIS_URL)',
  'redis quorum': 'three independent Redis nodes (LOCKYARD_LAB_REDIS_URL, separated by commas)',
  zookeeper: 'ZooKeeper (LOCKYARD_LAB_ZOOKEEPER_URL)',
};

/** The entries of the catalogue, each with the servers it would run on, or what it lacks. Pure. */
export function evaluateEntries(
  catalogue: readonly CatalogueEntry[],
  ready: LabServers,
): LabEntry[] {
  const served = servedNeeds(ready);
  return catalogue.map(({ needs, ...entry }) => {
    const missing = needs.filter((need) => served[need] === null).map((need) => NEEDED[need]);
    const lacks = missing.length === 0 ? null : `Needs ${missing.join(' and ')}.`;
    return { ...entry, servers: servedBy(needs, ready), lacks };
  });
}
