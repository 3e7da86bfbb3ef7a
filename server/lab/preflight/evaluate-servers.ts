import type { LabServer } from '../../contract/console/lab/lab-race';
import { QUORUM } from '../served-needs';
import type {
  Asked,
  BackendMarks,
  FoundServers,
  MysqlFacts,
  RedisFacts,
  ZookeeperFacts,
} from './server-facts';

/** The variables that name the servers, for advice. */
const VARIABLES = {
  mysql: 'LOCKYARD_LAB_MYSQL_URL=mysql://user:password@host:3306',
  redis: 'LOCKYARD_LAB_REDIS_URL=redis://host:6379',
  zookeeper: 'LOCKYARD_LAB_ZOOKEEPER_URL=zookeeper://host:2181',
};

const ON_BACKEND =
  'This is a backend of this Lockyard: a race there would slow its locks. ' +
  'Name another server, or allow it with LOCKYARD_LAB_ON_BACKENDS=yes.';

/**
 * Evaluates the servers that the preflight found. Pure.
 *
 * @param onBackends whether a race may run on a backend of this Lockyard
 */
export function evaluateServers(
  found: FoundServers,
  backends: BackendMarks,
  onBackends: boolean,
): LabServer[] {
  const isBackend = (asked: Asked<{ identity?: string }>) =>
    !onBackends &&
    (asked.address.split(',').some((address) => backends.addresses.includes(address)) ||
      (asked.answers && backends.identities.includes(asked.facts.identity ?? '')));
  const evaluate = <Facts extends { version: string | null; identity?: string }>(
    kind: LabServer['kind'],
    name: string,
    asked: Asked<Facts> | undefined,
    refusalOf: (facts: Facts) => string | null,
  ): LabServer => {
    if (!asked) {
      const advice = `Set ${VARIABLES[kind]} and restart.`;
      return { kind, name, address: null, version: null, state: 'missing', advice };
    }
    const { address } = asked;
    const version = asked.answers ? asked.facts.version : null;
    const server = { kind, name, address, version };
    if (isBackend(asked)) return { ...server, state: 'refused', advice: ON_BACKEND };
    if (!asked.answers) {
      return { ...server, state: 'away', advice: `It cannot be used: ${asked.why}.` };
    }
    const advice = refusalOf(asked.facts);
    return { ...server, state: advice === null ? 'ready' : 'refused', advice };
  };
  const redis = Array.from({ length: Math.max(QUORUM, found.redis.length) }, (_, i) => {
    const name = i === 0 ? 'Redis' : `Redis ${i + 1}`;
    const server = evaluate('redis', name, found.redis[i], (facts) =>
      refusalOfRedis(facts, found.redis.slice(0, i)),
    );
    return i > 0 && server.state === 'missing' ? { ...server, advice: MORE_REDIS } : server;
  });
  return [
    evaluate<MysqlFacts>('mysql', 'MySQL', found.mysql, refusalOfMysql),
    ...redis,
    evaluate<ZookeeperFacts>('zookeeper', 'ZooKeeper', found.zookeeper, () => null),
  ];
}

const MORE_REDIS =
  'The quorum needs three independent nodes: name them in LOCKYARD_LAB_REDIS_URL, ' +
  'separated by commas.';

function refusalOfMysql({ mayCreate, leftBehind, account }: MysqlFacts): string | null {
  if (mayCreate) return null;
  const [user, host] = account.split('@');
  const grant = `GRANT ALL ON \`lockyard\\_lab\\_%\`.* TO '${user}'@'${host}';`;
  const drops = leftBehind.map((name) => `DROP DATABASE ${name}; `).join('');
  const lack =
    drops === ''
      ? "may not create the Lab's databases."
      : "may create the Lab's databases, but not drop them: this check has left some.";
  return `Its user ${lack} As an administrator of the server run: ${drops}${grant}`;
}

function refusalOfRedis(facts: RedisFacts, before: Asked<RedisFacts>[]): string | null {
  if (facts.isCluster) return 'It is a cluster; the strategies are written for a single Redis.';
  if (facts.role !== 'master') return 'It is a replica, which stores nothing itself.';
  if (facts.evictionPolicy !== 'noeviction') {
    return (
      `It evicts keys when its memory is full (maxmemory-policy ${facts.evictionPolicy}), and ` +
      'would forget locks while they are held. Set it to noeviction: ' +
      'redis-cli CONFIG SET maxmemory-policy noeviction'
    );
  }
  const isDuplicate = before.some(
    (other) => other.answers && other.facts.identity === facts.identity,
  );
  return isDuplicate
    ? 'It is the same server as an earlier one; a quorum needs independent nodes.'
    : null;
}
