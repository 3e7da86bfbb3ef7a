import { openTestDatabase } from '@/db/test-database';
import { parseZookeeperUrl, type ZookeeperUrl } from '@/db/zookeeper-url';
import { startPrivateZookeeper } from '@/scripts/private-zookeeper.mjs';
import { TcpProxy } from '@/test/tcp-proxy';
import { BackendLife } from '../backend-life';
import { openZookeeperStore } from '../zookeeper/open-zookeeper-store';
import { multi, OPEN_TO_ALL, type Step } from '../zookeeper/wire-calls';
import { type ServerAddress, ZookeeperConnection } from '../zookeeper/zookeeper-connection';
import type { BadDay, ServerKind, ServerUnderTest } from './server-kind';
import { SPOILT_LINE } from './spoilt-line';

type Server = Awaited<ReturnType<typeof startPrivateZookeeper>>;
type PossibleDay = Exclude<BadDay, 'read-only'>;

export const zookeeperServerKind: ServerKind = {
  cannotHave: {
    'read-only':
      'A server that may not write belongs to no ensemble, and takes no connection such as ours.',
  },
  isShared: true,
  start: startZookeeperUnderTest,
};

async function startZookeeperUnderTest(): Promise<ServerUnderTest> {
  const server = await startPrivateZookeeper({ settings: ['enforceQuota=true'] });
  const direct = parseZookeeperUrl(server.url);
  if (typeof direct === 'string') throw new Error(direct);
  const [{ host, port } = { host: '', port: 0 }] = direct.servers;
  const proxy = await TcpProxy.start(host, port);
  const proxied = { ...direct, servers: [{ host: '127.0.0.1', port: proxy.port }] };
  const database = await openTestDatabase('sqlite');
  const openAt = async (url: ZookeeperUrl) =>
    openZookeeperStore(url, await BackendLife.open(database, 'default', Date.now()));
  const means = { server, proxy, direct: { host, port, credentials: null } };
  return {
    open: () => openAt(proxied),
    truth: () => openAt(direct),
    async begin(day) {
      if (day === 'read-only') throw new Error('A ZooKeeper cannot have this day.');
      return DAYS[day](means);
    },
    async stop() {
      await proxy.close();
      await server.stop();
      await database.close();
    },
  };
}

interface Means {
  server: Server;
  proxy: TcpProxy;
  direct: ServerAddress;
}

const DAYS: Record<PossibleDay, (means: Means) => Promise<() => Promise<void>>> = {
  ...SPOILT_LINE,
  async full({ direct }) {
    await write(direct, USED_UP);
    return () => write(direct, WITHOUT_QUOTA);
  },
};

const QUOTA = '/zookeeper/quota/lockyard';

/** The least that a quota can allow: the root is full, whatever is there. */
const USED_UP: Step[] = [
  { kind: 'create', path: QUOTA, data: Buffer.alloc(0) },
  {
    kind: 'create',
    path: `${QUOTA}/zookeeper_limits`,
    data: Buffer.from('count=-1,bytes=-1=;byteHardLimit=1;countHardLimit=-1'),
  },
  {
    kind: 'create',
    path: `${QUOTA}/zookeeper_stats`,
    data: Buffer.from('count=0,bytes=0=;byteHardLimit=-1;countHardLimit=-1'),
  },
];

const WITHOUT_QUOTA = ['/zookeeper_stats', '/zookeeper_limits', ''].map(
  (name): Step => ({ kind: 'delete', path: QUOTA + name, version: -1 }),
);

/** One step after another: what a quota counts, it counts as each of them is made. */
async function write(server: ServerAddress, steps: Step[]): Promise<void> {
  const monotonic = () => performance.now();
  const connection = await ZookeeperConnection.open(server, 5_000, monotonic, () => {});
  for (const step of steps) {
    const { took } = await connection.ask(multi([step], OPEN_TO_ALL));
    if (!took) throw new Error(`ZooKeeper did not ${step.kind} ${step.path}.`);
  }
  connection.close();
}
