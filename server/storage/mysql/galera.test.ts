import { createConnection } from 'mysql2/promise';
import { afterAll, expect, it, vi } from 'vitest';
import { galeraProvider } from '@/scripts/servers/galera-provider.mjs';
import { startPrivateMariadb } from '@/scripts/servers/private-mariadb.mjs';
import { freePort } from '@/scripts/system/free-port.mjs';
import { systemClock } from '../../platform/clock';
import { created, eventOf, freshKey, update } from '../conformance/testing/changes';
import { openBackend } from '../open-store';
import { readMysqlFacts } from './mysql-facts';
import { mysqlGuarantees } from './mysql-guarantees';
import { MysqlStore } from './mysql-store';

type Node = Awaited<ReturnType<typeof startPrivateMariadb>>;

const nodes: Node[] = [];
afterAll(async () => {
  for (const node of nodes) {
    node.signal('SIGKILL');
    await node.stop();
  }
});

/** Starts a node of a new cluster, or of another node's cluster. */
async function startNode(join: number | null): Promise<Node & { port: number }> {
  const provider = galeraProvider();
  if (!provider) throw new Error('This test needs the Galera of MariaDB: install galera-4.');
  const [port, transfers] = [await freePort(), await freePort()];
  const address = `127.0.0.1:${port}`;
  const node = await startPrivateMariadb({
    durable: true,
    settings: [
      '--innodb-buffer-pool-size=32M',
      '--innodb-log-file-size=8M',
      '--binlog-format=ROW',
      '--wsrep-on=ON',
      `--wsrep-provider=${provider}`,
      `--wsrep-cluster-address=gcomm://${join === null ? '' : `127.0.0.1:${join}`}`,
      `--wsrep-node-address=${address}`,
      `--wsrep-provider-options=gmcast.listen_addr=tcp://${address};ist.recv_addr=127.0.0.1:${transfers};gcache.size=1M`,
      // Both are empty: there is nothing to copy.
      '--wsrep-sst-method=skip',
    ],
  });
  nodes.push(node);
  // One that joins stays unready without a transfer of state, and is needed as a member only.
  if (join === null) await ready(node.url);
  return { ...node, port };
}

/** Waits until a node takes statements: it accepts sign-ins before its cluster has formed. */
async function ready(url: string): Promise<void> {
  const connection = await createConnection({ uri: url });
  try {
    await vi.waitFor(() => connection.query('SELECT 1 FROM mysql.user LIMIT 1'), {
      timeout: 30_000,
      interval: 100,
    });
  } finally {
    connection.destroy();
  }
}

const judged = async (url: string) => mysqlGuarantees(await readMysqlFacts(url, 3_000));

it('a real Galera node is Best-effort on its own, and unsafe once another has joined', async () => {
  const first = await startNode(null);
  expect(await judged(first.url)).toMatchObject({
    level: 'Best-effort',
    unsafe: null,
    reasons: [expect.stringContaining('Galera cluster of one node')],
  });
  await startNode(first.port);
  await vi.waitFor(
    async () => expect((await judged(first.url)).unsafe).toMatch(/Galera cluster takes writes/),
    { timeout: 20_000, interval: 100 },
  );
});

it('a real Galera node that has lost most of its cluster says so', async () => {
  const first = await startNode(null);
  const admin = await createConnection({ uri: first.url });
  await admin.query('CREATE DATABASE locks_here');
  admin.destroy();
  const url = `${first.url}/locks_here`;
  await (await openBackend({ kind: 'mysql', url }, systemClock)).close();
  const [open, opened] = [new MysqlStore(url), new MysqlStore(url)];
  const key = freshKey();
  const seen = await created(opened, key);
  const second = await startNode(first.port);
  second.signal('SIGKILL');
  const refused = { applied: 'no', refusal: expect.stringContaining('most of its Galera cluster') };
  await vi.waitFor(() => expect(open.read([key], [])).rejects.toMatchObject(refused), {
    timeout: 40_000,
    interval: 200,
  });
  const change = update(key, seen, { events: [eventOf(2)] });
  await expect(opened.swap([change])).rejects.toMatchObject(refused);
  await open.close();
  await opened.close();
}, 90_000);
