import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../system/find-program.mjs';
import { freePort } from '../system/free-port.mjs';
import { firstWords, startPrivateServer } from './private-server.mjs';

const JAR = '/usr/share/java/zookeeper.jar';
/** Libraries that TLS needs but Debian's ZooKeeper does not find on its own. */
const NETTY = '/usr/share/java/netty-codec.jar:/usr/share/java/netty-resolver.jar';

export const zookeeperIsInstalled = () => existsSync(JAR) && findProgram(['java']) !== null;

/**
 * Starts a private ZooKeeper: empty, a single one, on a free port of 127.0.0.1, with its data in a
 * temporary folder that is removed with it. `url` has no path, `dataFolder` is the folder of its
 * data. `settings` are more lines for its configuration. With `keyStore` (PKCS 12) it also accepts
 * TLS at `secureUrl`. `signal`, `start` and `stop` are as for `startPrivateServer`.
 *
 * @param {{ settings?: string[], keyStore?: { file: string, password: string } | null }} [options]
 */
export async function startPrivateZookeeper({ settings = [], keyStore = null } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'lyz-'));
  const dataFolder = join(folder, 'd');
  const port = await freePort();
  const securePort = keyStore && (await freePort());
  const secureSettings = keyStore
    ? [
        `secureClientPort=${securePort}`,
        'secureClientPortAddress=127.0.0.1',
        'serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory',
        'ssl.keyStore.type=PKCS12',
        `ssl.keyStore.location=${keyStore.file}`,
        `ssl.keyStore.password=${keyStore.password}`,
        'ssl.clientAuth=none',
      ]
    : [];
  const log = join(folder, 'log');
  writeFileSync(
    join(folder, 'zoo.cfg'),
    [
      'tickTime=500',
      `dataDir=${dataFolder}`,
      `clientPort=${port}`,
      'clientPortAddress=127.0.0.1',
      'maxClientCnxns=0',
      'admin.enableServer=false',
      '4lw.commands.whitelist=*',
      ...secureSettings,
      ...settings,
    ].join('\n'),
  );
  writeFileSync(
    join(folder, 'log4j.properties'),
    [
      'log4j.rootLogger=WARN, file',
      'log4j.appender.file=org.apache.log4j.FileAppender',
      `log4j.appender.file.File=${log}`,
      'log4j.appender.file.layout=org.apache.log4j.SimpleLayout',
    ].join('\n'),
  );
  const server = await startPrivateServer({
    what: 'ZooKeeper',
    folder,
    program: findProgram(['java']),
    args: [
      ...[
        '-Xmx192m',
        '-XX:+UseSerialGC',
        '-XX:TieredStopAtLevel=1',
        '-cp',
        `${folder}:${JAR}:${NETTY}`,
      ],
      ...['org.apache.zookeeper.server.quorum.QuorumPeerMain', join(folder, 'zoo.cfg')],
    ],
    // It answers "imok" before it accepts sessions.
    isUp: async () => (await firstWords(port, 'srvr')).startsWith('Zookeeper version'),
    log,
    graceMs: 5_000,
  });
  const secureUrl = `zookeepers://127.0.0.1:${securePort}`;
  return { url: `zookeeper://127.0.0.1:${port}`, secureUrl, dataFolder, ...server };
}
