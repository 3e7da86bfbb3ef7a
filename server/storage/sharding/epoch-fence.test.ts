import { setTimeout as pause } from 'node:timers/promises';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '@/server/platform/clock';
import { parseShardList } from '../../../db/urls/shard-list';
import {
  created,
  creation,
  eventOf,
  freshKey,
  readOne,
  swapOne,
  update,
} from '../conformance/testing/changes';
import { createScratchDatabase, type Store } from '../conformance/testing/stores-under-test';
import { MysqlStore } from '../mysql/mysql-store';
import { openBackend } from '../open-store';
import { recordId } from '../record-id';
import { StoreError } from '../record-store';
import type { EpochFence } from './epoch-fence';
import { openShard } from './open-shard';
import { ShardMapStamp } from './shard-map-stamp';

let scratch: { url: string; drop(): Promise<void> };
let stamps: ShardMapStamp;
let store: Store;
const fence: EpochFence = { stamp: 'ours.1' };
const identity = { self: 'a', generation: 1, members: ['a'], lost: [] };

beforeAll(async () => {
  scratch = await createScratchDatabase(process.env.TEST_MYSQL_URL ?? '');
  const list = parseShardList('orders', `${scratch.url},mysql://elsewhere/x`);
  if (typeof list === 'string') throw new Error(list);
  const shard = list.shards.find(({ url }) => url === scratch.url);
  if (!shard) throw new Error('The list lost its shard.');
  stamps = new ShardMapStamp(shard, 10_000);
  await openShard(shard, fence).then((opened) => opened.close());
  // It may wait for a row until the test has seen that it waits.
  store = new MysqlStore(scratch.url, { callMaxMs: 10_000, fence });
  await stamps.stampNew('ours.1', identity);
});
afterAll(async () => {
  stamps?.close();
  await store?.close();
  await scratch?.drop();
});

const refused = (work: Promise<unknown>) =>
  expect(work).rejects.toSatisfy((error) => error instanceof StoreError && error.applied === 'no');

it('under another stamp nothing is written or read, also by a process that missed it', async () => {
  const key = freshKey();
  const seen = await created(store, key);
  await stamps.replace('ours.1', 'theirs.2', { ...identity, generation: 2 });
  await refused(store.swap([update(key, seen)]));
  await refused(store.swap([creation(freshKey()), creation(freshKey())]));
  await refused(store.swapAll([update(key, seen), creation(freshKey())]));
  await refused(store.deleteRecords([{ key, ...seen }]));
  await refused(store.read([key], []));
  await stamps.replace('theirs.2', 'ours.1', identity);
  expect((await readOne(store, key)).record).toMatchObject(seen);
  expect(await swapOne(store, update(key, seen))).toMatchObject({ applied: true });
});

it('a stamp waits for swaps under way, and none of them is written after it', async () => {
  const [key, other] = [freshKey(), freshKey()];
  const seen = await created(store, key);
  const foreign = await createConnection({ uri: scratch.url });
  await foreign.query('START TRANSACTION');
  await foreign.query('SELECT rev FROM locks WHERE id = ? FOR UPDATE', [
    Buffer.from(recordId(key), 'utf8'),
  ]);
  const change = update(key, seen, { events: [eventOf(seen.rev + 1)] });
  const swap = store.swap([change, creation(other)]);
  await untilWaits(foreign, key.name);
  const stamped = stamps.replace('ours.1', 'theirs.2', { ...identity, generation: 2 });
  await untilWaits(foreign, 'theirs.2');
  await foreign.query('ROLLBACK');
  await foreign.end();
  expect(await swap).toMatchObject([{ applied: true }, { applied: true }]);
  await stamped;
  await refused(store.swap([update(key, change)]));
  await stamps.replace('theirs.2', 'ours.1', identity);
});

it('a stamp replaces only the one that was read', async () => {
  await refused(stamps.replace('theirs.2', 'theirs.3', { ...identity, generation: 3 }));
  await refused(stamps.change('theirs.2', ['DELETE FROM lock_requests']));
  expect(await stamps.read()).toMatchObject({ stamp: 'ours.1', identity });
});

it('a shard is not mistaken for a whole backend', async () => {
  await expect(openBackend({ kind: 'mysql', url: scratch.url }, systemClock)).rejects.toThrow(
    /one of several shards/,
  );
});

/** The server refreshes this table only if it was not read for 100 ms. */
async function untilWaits(connection: Connection, whoseText: string): Promise<void> {
  const waiting =
    'SELECT 1 FROM information_schema.innodb_trx ' +
    "WHERE trx_state = 'LOCK WAIT' AND trx_query LIKE ?";
  for (let tries = 0; tries < 40; tries += 1) {
    await pause(150);
    const [rows] = await connection.query<RowDataPacket[]>(waiting, [`%${whoseText}%`]);
    if (rows.length > 0) return;
  }
  throw new Error(`No statement with ${whoseText} waits.`);
}
