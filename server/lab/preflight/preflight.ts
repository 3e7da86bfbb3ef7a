import type { BackendUrl } from '@/db/urls/backend-url';
import { catalogue } from '@/server/strategies/catalogue';
import type { LabPreflight } from '../../contract/console/lab/lab-race';
import type { LabServers } from '../lab-order';
import { mysqlAddress } from '../servers/mysql-server';
import { redisAddress } from '../servers/redis-server';
import { askMysql, askRedis, askZookeeper } from './ask-servers';
import { evaluateEntries } from './evaluate-entries';
import { evaluateServers } from './evaluate-servers';
import { readyServers } from './ready-servers';
import type { BackendMarks, FoundServers } from './server-facts';

export interface PreflightParts {
  servers: LabServers;
  backends: BackendUrl[];
  onBackends?: boolean;
}

/**
 * Asks every server of the Lab what it is. On MySQL it creates and drops one database, to learn
 * whether that is allowed.
 *
 * @returns what a person may see, and in `ready` the servers that a race can use, with passwords
 */
export async function preflight({
  servers,
  backends,
  onBackends = false,
}: PreflightParts): Promise<LabPreflight & { ready: LabServers }> {
  const [found, marks] = await Promise.all([find(servers), markBackends(backends, onBackends)]);
  const evaluated = evaluateServers(found, marks, onBackends);
  const ready = readyServers(servers, evaluated);
  return { servers: evaluated, entries: evaluateEntries(catalogue, ready), ready };
}

async function find({ mysql, redis = [], zookeeper }: LabServers): Promise<FoundServers> {
  const [foundMysql, foundZookeeper, ...foundRedis] = await Promise.all([
    mysql ? askMysql(mysql, true) : undefined,
    zookeeper ? askZookeeper(zookeeper) : undefined,
    ...redis.map((url) => askRedis(url)),
  ]);
  return {
    redis: foundRedis,
    ...(foundMysql && { mysql: foundMysql }),
    ...(foundZookeeper && { zookeeper: foundZookeeper }),
  };
}

async function markBackends(backends: BackendUrl[], onBackends: boolean): Promise<BackendMarks> {
  // If races may run on all backends, none needs to be recognised.
  if (onBackends) return { addresses: [], identities: [] };
  const marks = await Promise.all(backends.map(markOf));
  return {
    addresses: marks.flatMap(({ addresses }) => addresses),
    identities: marks.flatMap(({ identities }) => identities),
  };
}

async function markOf(url: BackendUrl): Promise<BackendMarks> {
  if (url.kind === 'sqlite') return { addresses: [], identities: [] };
  if (url.kind === 'zookeeper') {
    const addresses = url.servers.map(({ host, port }) => `${host.toLowerCase()}:${port}`);
    return { addresses, identities: [] };
  }
  const isMysql = url.kind === 'mysql';
  const asked = await (isMysql ? askMysql(url.url, false) : askRedis(url.url));
  return {
    addresses: [isMysql ? mysqlAddress(url.url) : redisAddress(url.url)],
    identities: asked.answers ? [asked.facts.identity] : [],
  };
}
