import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Connection, createConnection } from 'mysql2/promise';
import { startPrivateMariadb } from '@/scripts/servers/private-mariadb.mjs';
import { systemClock } from '@/server/platform/clock';
import { TcpProxy } from '@/test/tcp-proxy';
import { openBackend } from '../../open-store';
import { CONNECTION_FAULTS } from './connection-faults';
import { limitFiles } from './limit-files';
import type { BadDay, ServerKind, ServerUnderTest } from './server-kind';
import { startProcess } from './start-process';
import { createScratchDatabase } from './stores-under-test';

/** Small, and with all tables in one file, so that it is full when that file cannot grow. */
const SETTINGS = [
  '--innodb-buffer-pool-size=32M',
  '--innodb-log-file-size=8M',
  '--innodb-file-per-table=0',
  '--innodb-autoextend-increment=1',
  '--innodb-flush-log-at-trx-commit=2',
];

/** Row sizes that use up the room left in that file. */
const FILLING_BYTES = [1_000_000, 10_000, 100];

type Server = Awaited<ReturnType<typeof startPrivateMariadb>>;

export const mysqlServerKind: ServerKind = {
  cannotHave: {},
  isShared: true,
  start: startMysqlUnderTest,
};

async function startMysqlUnderTest(): Promise<ServerUnderTest> {
  const { proxied, direct, ...server } = await startSpoilableMysql();
  const openAt = (url: string) => openBackend({ kind: 'mysql', url }, systemClock);
  return {
    ...server,
    join: () => startProcess(() => openAt(proxied)),
    truth: () => openAt(direct),
  };
}

/**
 * A database on a private server that can have every bad day, and its URLs: through the faulty
 * proxy, and direct.
 */
export async function startSpoilableMysql(): Promise<
  Pick<ServerUnderTest, 'begin' | 'stop'> & { proxied: string; direct: string }
> {
  const server = await startPrivateMariadb({
    durable: false,
    bearsFullDisk: true,
    settings: SETTINGS,
  });
  const direct = new URL((await createScratchDatabase(server.url)).url);
  await asRoot(direct, async (root) => {
    // A user with all privileges could write even to a read-only server.
    await root.query("CREATE USER 'lockyard'@'%'");
    await root.query("GRANT ALL ON *.* TO 'lockyard'@'%'");
    await root.query("REVOKE READ ONLY ADMIN, SUPER ON *.* FROM 'lockyard'@'%'");
  });
  const proxy = await TcpProxy.start(direct.hostname, Number(direct.port));
  const proxied = new URL(direct);
  proxied.port = String(proxy.port);
  proxied.username = 'lockyard';
  return {
    proxied: proxied.href,
    direct: direct.href,
    begin: (day) => DAYS[day]({ server, proxy, direct }),
    async stop() {
      await proxy.close();
      await server.stop();
    },
  };
}

interface FaultTarget {
  server: Server;
  proxy: TcpProxy;
  direct: URL;
}

const DAYS: Record<BadDay, (target: FaultTarget) => Promise<() => Promise<void>>> = {
  ...CONNECTION_FAULTS,
  async full({ server, direct }) {
    const { size } = statSync(join(server.data, 'ibdata1'));
    limitFiles(server, size);
    await asRoot(direct, fill);
    return async () => limitFiles(server, 'unlimited');
  },
  async 'read-only'({ direct }) {
    const set = (value: number) =>
      asRoot(direct, (root) => root.query(`SET GLOBAL read_only = ${value}`));
    await set(1);
    return async () => {
      await set(0);
    };
  },
};

async function fill(root: Connection): Promise<void> {
  await root.query('CREATE TABLE IF NOT EXISTS filling (bytes LONGBLOB)');
  for (const bytes of FILLING_BYTES) {
    const insert = () => root.query('INSERT INTO filling VALUES (REPEAT("x", ?))', [bytes]);
    while (await insert().then(Boolean, isNotFull));
  }
}

function isNotFull(error: { code?: string }): false {
  if (error.code === 'ER_RECORD_FILE_FULL') return false;
  throw error;
}

async function asRoot<T>(url: URL, work: (root: Connection) => Promise<T>): Promise<T> {
  const root = await createConnection({ uri: url.href });
  try {
    return await work(root);
  } finally {
    await root.end();
  }
}
