import { expect, test } from 'vitest';
import { parseZookeeperUrl } from '@/db/urls/zookeeper-url';
import { getChildren } from './wire-calls';
import { ZookeeperConnection } from './zookeeper-connection';

/** A busy ZooKeeper may take its time before. */
const LIMIT_MS = 3_000;
const STALLED_MS = 4_000;

test('an answer that came while this process stood still is heard, however late it is read', async () => {
  const url = parseZookeeperUrl(process.env.TEST_ZOOKEEPER_URL ?? '');
  if (typeof url === 'string') throw new Error(url);
  const [server = { host: '', port: 0 }] = url.servers;
  const address = { ...server, credentials: null };
  const now = () => performance.now();
  const connection = await ZookeeperConnection.open(address, LIMIT_MS, now, () => {});
  const asked = connection.ask(getChildren('/zookeeper'));
  await new Promise((resolve) => setImmediate(resolve));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALLED_MS);
  expect((await asked)?.names).toContain('quota');
  connection.close();
});
