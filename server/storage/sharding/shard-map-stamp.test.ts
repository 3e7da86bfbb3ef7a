import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPrivateMariadb } from '@/scripts/servers/private-mariadb.mjs';
import { DATABASE_CLOCK } from '../../../db/database';
import { parseShardList } from '../../../db/urls/shard-list';
import { DEAD_AFTER_MS } from '../../core/timing';
import { openShard } from './open-shard';
import { ShardMapStamp } from './shard-map-stamp';

const PATIENT_MS = 10_000;

let server: Awaited<ReturnType<typeof startPrivateMariadb>>;
let admin: Connection;
let stamps: ShardMapStamp;
beforeAll(async () => {
  server = await startPrivateMariadb({ durable: false });
  admin = await createConnection({ uri: server.url });
  await admin.query('CREATE DATABASE locks_here');
  const { href } = Object.assign(new URL(server.url), { pathname: '/locks_here' });
  const list = parseShardList('orders', `${href},mysql://elsewhere/x`);
  if (typeof list === 'string') throw new Error(list);
  const shard = list.shards.find(({ url }) => url === href);
  if (!shard) throw new Error('The list lost its shard.');
  await openShard(shard, { stamp: null }).then((opened) => opened.close());
  stamps = new ShardMapStamp(shard, PATIENT_MS);
  await stamps.stampNew('ours.1', { self: 'a', generation: 1, members: ['a'], lost: [] });
});
afterAll(async () => {
  stamps?.close();
  admin?.destroy();
  await server?.stop();
});

const connectionId = async () => {
  const [rows] = await stamps.ask(['SELECT CONNECTION_ID()']);
  return rows?.[0]?.[0];
};

it('a server that has become read-only is left: the address may lead to another one', async () => {
  const first = await connectionId();
  expect(await stamps.read()).toMatchObject({ stamp: 'ours.1', isEmpty: true });
  expect(await connectionId()).toBe(first);
  await admin.query('SET GLOBAL read_only = 1');
  try {
    expect(await stamps.read()).toMatchObject({ stamp: 'ours.1' });
    expect(await connectionId()).not.toBe(first);
  } finally {
    await admin.query('SET GLOBAL read_only = 0');
  }
});

it('a heartbeat from before the clock was set back is not taken for a present one', async () => {
  const heartbeat = (aheadMs: number) =>
    admin.query(
      'REPLACE INTO locks_here.locks (id, rev, writer, head, queue, changed_at) VALUES ' +
        `('.lockyard/process/p1', 1, 'w', ${DATABASE_CLOCK.mysql} + ${aheadMs}, '', 0)`,
    );
  const isInUse = async () => (await stamps.read()).isInUse;
  await expect.poll(() => heartbeat(DEAD_AFTER_MS).then(isInUse)).toBe(true);
  await heartbeat(-1);
  expect(await isInUse()).toBe(false);
  await heartbeat(60 * 60_000);
  expect(await isInUse()).toBe(false);
});
