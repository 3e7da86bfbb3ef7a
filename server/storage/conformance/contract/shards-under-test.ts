import { parseShardList } from '@/db/urls/shard-list';
import { MysqlStore } from '../../mysql/mysql-store';
import { openShard } from '../../sharding/open-shard';
import { ShardMapStamp, servingStamp, startingStamp } from '../../sharding/shard-map-stamp';
import { type StoreUnderTest, storesUnderTest } from '../testing/stores-under-test';
import { addLeastPrivilegedUser } from './least-privileged-mysql';
import { limitedStore } from './limited-store';

/** A second shard that no test uses. */
const ELSEWHERE = 'mysql://elsewhere/x';

/** One shard of a backend, opened by a process whose list is in force. */
export async function openShardUnderTest(callMaxMs: number): Promise<StoreUnderTest> {
  const [shard] = await openShardsUnderTest(1, { elsewhere: [ELSEWHERE], callMaxMs });
  if (!shard) throw new Error('There is no such shard.');
  return shard;
}

/**
 * Databases stamped as shards of one list, used by users who have exactly the privileges that
 * docs/backends.md requires. Every store has a fence of its own, as every process does.
 *
 * @param options `elsewhere`: URLs of more shards of that list; `callMaxMs` as for
 *   `openMysqlUnderTest`
 */
export async function openShardsUnderTest(
  count: number,
  { elsewhere = [], callMaxMs }: { elsewhere?: string[]; callMaxMs?: number } = {},
): Promise<(StoreUnderTest & { name: string })[]> {
  const databases = await Promise.all(
    Array.from({ length: count }, async () => {
      const under = await storesUnderTest.mysql.open();
      return { under, user: await addLeastPrivilegedUser(under) };
    }),
  );
  const urls = databases.map(({ user }) => user.url);
  const list = parseShardList('orders', [...urls, ...elsewhere].join());
  if (typeof list === 'string') throw new Error(`The list of shards ${list}.`);
  const members = list.shards.map(({ name }) => name);
  return Promise.all(
    databases.map(async ({ under, user }) => {
      const shard = list.shards.find(({ url }) => url === user.url);
      if (!shard) throw new Error('The list of shards lost one.');
      const stamp = servingStamp(list, 1);
      const stamps = new ShardMapStamp(shard);
      await stamps.stampNew(startingStamp(list), {
        self: shard.name,
        generation: 1,
        members,
        lost: [],
      });
      await stamps.restamp(startingStamp(list), stamp);
      stamps.close();
      const lent = await limitedStore(
        under,
        user,
        openShard(shard, { stamp }),
        () => new MysqlStore(shard.url, { callMaxMs, fence: { stamp } }),
      );
      return { ...lent, name: shard.name };
    }),
  );
}
