import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTestDatabase } from '@/db/testing/test-database';
import { parseZookeeperUrl, type ZookeeperUrl } from '@/db/urls/zookeeper-url';
import { startPrivateZookeeper } from '@/scripts/servers/private-zookeeper.mjs';
import { TcpProxy } from '@/test/tcp-proxy';
import { StoreIncarnation } from '../../incarnation/store-incarnation';
import { openZookeeperStore } from '../../zookeeper/zookeeper-store';
import { CONNECTION_FAULTS } from './connection-faults';
import { limitFiles } from './limit-files';
import type { BadDay, ServerKind, ServerUnderTest } from './server-kind';
import { startProcess } from './start-process';

type Server = Awaited<ReturnType<typeof startPrivateZookeeper>>;
type PossibleDay = Exclude<BadDay, 'read-only'>;

export const zookeeperServerKind: ServerKind = {
  cannotHave: {
    'read-only':
      'A server that cannot write belongs to no ensemble, and refuses connections such as ours.',
  },
  isShared: true,
  start: startZookeeperUnderTest,
};

async function startZookeeperUnderTest(): Promise<ServerUnderTest> {
  const server = await startPrivateZookeeper({ settings: ['preAllocSize=1024'] });
  const direct = parseZookeeperUrl(server.url);
  if (typeof direct === 'string') throw new Error(direct);
  const [{ host, port } = { host: '', port: 0 }] = direct.servers;
  const proxy = await TcpProxy.start(host, port);
  const proxied = { ...direct, servers: [{ host: '127.0.0.1', port: proxy.port }] };
  const database = await openTestDatabase('sqlite');
  const openAt = async (url: ZookeeperUrl) =>
    openZookeeperStore(url, await StoreIncarnation.open(database, 'default', Date.now()));
  return {
    join: () => startProcess(() => openAt(proxied)),
    truth: () => openAt(direct),
    async begin(day) {
      if (day === 'read-only') throw new Error('A ZooKeeper cannot have this day.');
      return DAYS[day]({ server, proxy });
    },
    async stop() {
      await proxy.close();
      await server.stop();
      await database.close();
    },
  };
}

interface FaultTarget {
  server: Server;
  proxy: TcpProxy;
}

const DAYS: Record<PossibleDay, (target: FaultTarget) => Promise<() => Promise<void>>> = {
  ...CONNECTION_FAULTS,
  /**
   * The server exits if it cannot write its log. A supervisor keeps restarting it, and the disk is
   * full again immediately.
   */
  async full({ server }) {
    const bytes = bytesOfLog(server.dataFolder) + ROOM_BYTES;
    let isFull = true;
    limitFiles(server, bytes);
    const keep = async () => {
      while (isFull) {
        await server.start();
        if (isFull) limitFiles(server, bytes);
      }
    };
    const kept = keep();
    kept.catch(() => undefined);
    return () => {
      isFull = false;
      return kept;
    };
  },
};

/** Less than a flush takes, so that the last one is truncated. */
const ROOM_BYTES = 700;

/** How many bytes of the newest log are written. The rest of the file is zeros. */
function bytesOfLog(dataFolder: string): number {
  const folder = join(dataFolder, 'version-2');
  const logs = readdirSync(folder).filter((name) => name.startsWith('log.'));
  const ages = logs.map((name) => Number.parseInt(name.slice('log.'.length), 16));
  const log = readFileSync(join(folder, `log.${Math.max(...ages).toString(16)}`));
  let end = log.length;
  while (log[end - 1] === 0) end -= 1;
  return end;
}
