import type { LabServer } from '../../contract/console/lab/lab-race';
import type { LabServers } from '../lab-order';

/**
 * The configured servers on which the preflight lets a race run. Without the first Redis no Redis
 * is used, since every strategy but the quorum runs there. Pure.
 *
 * @param evaluated the result of `evaluateServers`
 */
export function readyServers(
  { mysql, redis = [], zookeeper }: LabServers,
  evaluated: LabServer[],
): LabServers {
  const isReady = (name: string) =>
    evaluated.some((server) => server.name === name && server.state === 'ready');
  const nodes = evaluated.filter(({ kind }) => kind === 'redis');
  const readyNodes = redis.filter((_, i) => nodes[i]?.state === 'ready');
  return {
    ...(mysql && isReady('MySQL') && { mysql }),
    ...(isReady('Redis') && { redis: readyNodes }),
    ...(zookeeper && isReady('ZooKeeper') && { zookeeper }),
  };
}
