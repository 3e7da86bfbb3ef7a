import { expect, test } from 'vitest';
import { parseZookeeperUrl } from '@/db/urls/zookeeper-url';
import { getChildren } from './wire-calls';
import { ZookeeperConnection } from './zookeeper-connection';

const LIMIT_MS = 1_200;
const STALLED_MS = 2_000;

test('an answer that came while this process stood still is heard, however late it is read', async () => {
  const url = parseZookeeperUrl(process.env.TEST_ZOOKEEPER_URL ?? '');
  if (typeof url === 'string') throw new Error(url);
  const [server = { host: '', port: 0 }] = url.servers;
  const address = { ...server, credentials: null };
  const now = () => performance.now();
  const connection = await ZookeeperConnection.open(address, LIMIT_MS, now, () => {});
  const asked = connection.ask(getChildren('/zookeeper'));
  await new Promise((resolve) => setImmediate(resolve));
  const until = now() + STALLED_MS;
  while (now() < until);
  expect((await asked)?.names).toContain('quota');
  connection.close();
});
