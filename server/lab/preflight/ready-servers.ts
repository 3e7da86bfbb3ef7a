import type { LabServer } from '../../contract/console/lab/lab-race';
import type { LabServers } from '../lab-order';

/**
 * The configured servers that the preflight lets a race run on. Without the first Redis none of
 * them is used, since every strategy but the quorum runs there. Pure.
 *
 * @param judged of `evaluateServers`
 */
export function readyServers(
  { mysql, redis = [], zookeeper }: LabServers,
  judged: LabServer[],
): LabServers {
  const isReady = (name: string) => judged.some((it) => it.name === name && it.state === 'ready');
  const nodes = judged.filter(({ kind }) => kind === 'redis');
  const readyNodes = redis.filter((_, i) => nodes[i]?.state === 'ready');
  return {
    ...(mysql && isReady('MySQL') && { mysql }),
    ...(isReady('Redis') && { redis: readyNodes }),
    ...(zookeeper && isReady('ZooKeeper') && { zookeeper }),
  };
}
