import { expect, it, vi } from 'vitest';
import { openTestDatabase } from '@/db/testing/test-database';
import { parseZookeeperUrl } from '@/db/urls/zookeeper-url';
import { startPrivateZookeeper } from '@/scripts/servers/private-zookeeper.mjs';
import { created, freshKey, stored, update } from '../conformance/testing/changes';
import { StoreIncarnation } from '../incarnation/store-incarnation';
import { multi, OPEN_TO_ALL, type Step } from './client/wire-calls';
import { type ServerAddress, ZookeeperConnection } from './client/zookeeper-connection';
import { openZookeeperStore } from './zookeeper-store';

const QUOTA = '/zookeeper/quota/lockyard';

/** The smallest possible quota: the root is full, whatever it contains. */
const USED_UP: Step[] = [
  { kind: 'create', path: QUOTA, data: '' },
  {
    kind: 'create',
    path: `${QUOTA}/zookeeper_limits`,
    data: 'count=-1,bytes=-1=;byteHardLimit=1;countHardLimit=-1',
  },
  {
    kind: 'create',
    path: `${QUOTA}/zookeeper_stats`,
    data: 'count=0,bytes=0=;byteHardLimit=-1;countHardLimit=-1',
  },
];

const WITHOUT_QUOTA = ['/zookeeper_stats', '/zookeeper_limits', ''].map(
  (name): Step => ({ kind: 'delete', path: QUOTA + name, version: -1 }),
);

/** Sends one step after another, since a quota counts each step when it is applied. */
async function write(server: ServerAddress, steps: Step[]): Promise<void> {
  const monotonic = () => performance.now();
  const connection = await ZookeeperConnection.open(server, 20_000, monotonic, () => {});
  for (const step of steps) {
    const { applied } = await connection.ask(multi([step], OPEN_TO_ALL));
    if (!applied) throw new Error(`ZooKeeper did not ${step.kind} ${step.path}.`);
  }
  connection.close();
}

/** On a busy machine a connection may be lost. */
const SOON = { timeout: 25_000, interval: 20 };

it('an exhausted hard quota refuses writes and allows reads, until there is room', async () => {
  const own = await startPrivateZookeeper({ settings: ['enforceQuota=true'] });
  const url = parseZookeeperUrl(`${own.url}/lockyard`);
  if (typeof url === 'string') throw new Error(url);
  const [address = { host: '', port: 0 }] = url.servers;
  const server = { ...address, credentials: null };
  const database = await openTestDatabase('sqlite');
  const incarnation = await StoreIncarnation.open(database, 'default', Date.now());
  const store = await vi.waitFor(() => openZookeeperStore(url, incarnation), SOON);
  try {
    const { key, seen } = await vi.waitFor(async () => {
      const fresh = freshKey();
      return { key: fresh, seen: await created(store, fresh, { head: 'before' }) };
    }, SOON);
    await write(server, USED_UP);
    const more = update(key, seen, { head: 'more of it than before' });
    const refused = () => expect(store.swap([more])).rejects;
    const refusal = { applied: 'no', message: expect.stringContaining('quota') };
    await vi.waitFor(() => refused().toMatchObject(refusal), SOON);
    const head = async () => (await stored(store, key)).head;
    expect(await vi.waitFor(head, SOON)).toBe('before');
    await write(server, WITHOUT_QUOTA);
    await vi.waitFor(() => store.swap([more]), SOON);
    expect(await vi.waitFor(head, SOON)).toBe('more of it than before');
  } finally {
    await store.close();
    await database.close();
    await own.stop();
  }
});
