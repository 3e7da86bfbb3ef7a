import { expect, test } from 'vitest';
import { parseZookeeperUrl } from '@/db/urls/zookeeper-url';
import { getChildren } from './wire-calls';
import { ZookeeperConnection } from './zookeeper-connection';

/** A busy ZooKeeper may be slow before that. */
const LIMIT_MS = 3_000;
const STALLED_MS = 4_000;

async function connected(): Promise<ZookeeperConnection> {
  const url = parseZookeeperUrl(process.env.TEST_ZOOKEEPER_URL ?? '');
  if (typeof url === 'string') throw new Error(url);
  const [server = { host: '', port: 0 }] = url.servers;
  const address = { ...server, credentials: null };
  return ZookeeperConnection.open(
    address,
    LIMIT_MS,
    () => performance.now(),
    () => {},
  );
}

test('requests continue beyond the largest request number', async () => {
  const connection = await connected();
  Reflect.set(connection, 'lastXid', 2 ** 31 - 3);
  for (let i = 0; i < 5; i += 1) {
    expect((await connection.ask(getChildren('/zookeeper')))?.names).toContain('quota');
  }
  connection.close();
});

test('an answer that arrived while this process was paused is accepted, however late', async () => {
  const connection = await connected();
  const asked = connection.ask(getChildren('/zookeeper'));
  await new Promise((resolve) => setImmediate(resolve));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALLED_MS);
  expect((await asked)?.names).toContain('quota');
  connection.close();
});
