import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPrivateMariadb } from '@/scripts/servers/private-mariadb.mjs';
import { TcpProxy } from '@/test/tcp-proxy';
import { changeInBulk } from '../bulk-change';
import type { Database, Db } from '../database';
import { CommitUnknown, databaseFailure } from '../database-failure';
import { migrate } from '../migrate';
import { openMysql } from './open-mysql';

let server: Awaited<ReturnType<typeof startPrivateMariadb>>;
let admin: Connection;
let database: Database;
let url: string;
beforeAll(async () => {
  server = await startPrivateMariadb({ durable: false });
  admin = await createConnection({ uri: server.url });
  await admin.query('create database control');
  await admin.query("create user controller@'%' identified by 'secret'");
  await admin.query("grant all on control.* to controller@'%'");
  const place = { pathname: '/control', username: 'controller', password: 'secret' };
  url = Object.assign(new URL(server.url), place).href;
  database = await openMysql(url);
  await migrate(database);
});
afterAll(async () => {
  await database.close();
  admin.destroy();
  await server.stop();
});

const keep = (tx: Db, id: string) =>
  tx.insert(database.tables.settings).values({ id, value: '', changedAt: 1 });
const ids = async () => {
  const { rows } = await database.raw.ask('SELECT id FROM settings ORDER BY id', []);
  return rows.map(([id]) => id);
};

test('a commit refused as read-only is known to have changed nothing, even later', async () => {
  const refused = await database
    .transaction(async (tx) => {
      await keep(tx, 'refused');
      await admin.query('set global read_only = 1');
    })
    .catch((error: unknown) => databaseFailure(error, 'no'));
  await admin.query('set global read_only = 0');
  expect(refused).toMatchObject({ reason: 'BACKEND_DOWN' });
  await database.transaction((tx) => keep(tx, 'kept'));
  expect(await ids()).toEqual(['kept']);
});

test('a bulk change refused at commit as read-only is known to have changed nothing', async () => {
  const refused = await changeInBulk(database, async ({ run }) => {
    await run("insert into settings (id, value, changed_at) values ('in bulk', '', 1)");
    await admin.query('set global read_only = 1');
  }).catch((error: unknown) => error);
  await admin.query('set global read_only = 0');
  expect(refused).not.toBeInstanceOf(CommitUnknown);
  expect(String(refused)).toContain('read-only');
  expect(await ids()).not.toContain('in bulk');
});

test('a server that has become read-only is left by every connection', async () => {
  const ask = async () => (await database.raw.ask('SELECT CONNECTION_ID(), SLEEP(0.2)', [])).rows;
  const connectionIds = async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, ask));
    return answers.map(([row]) => Number(row?.[0]));
  };
  const before = await connectionIds();
  expect(new Set(before).size).toBe(4);
  await admin.query('set global read_only = 1');
  await expect(keep(database.db as Db, 'refused')).rejects.toThrow();
  await admin.query('set global read_only = 0');
  const after = await connectionIds();
  expect(after.filter((id) => before.includes(id))).toEqual([]);
});

test('a server that became read-only is left by a connection that is opening, too', async () => {
  const { hostname, port } = new URL(url);
  const proxy = await TcpProxy.start(hostname, Number(port));
  const through = await openMysql(Object.assign(new URL(url), { port: proxy.port }).href);
  const connectionId = async () =>
    Number((await through.raw.ask('SELECT CONNECTION_ID()', [])).rows[0]?.[0]);
  const write = "INSERT INTO settings (id, value, changed_at) VALUES ('refused', '', 1)";
  await admin.query('set global read_only = 1');
  // The refusal is one reply, and an opening waits for several.
  proxy.delay(100);
  const refused = through.raw.ask(write, []);
  const opening = connectionId();
  await expect(refused).rejects.toThrow();
  const [connections] = await admin.query<RowDataPacket[]>('show processlist');
  const lastBefore = Math.max(...connections.map(({ Id }) => Id));
  await admin.query('set global read_only = 0');
  expect(await opening).toBeGreaterThan(lastBefore);
  proxy.delay(0);
  expect(await connectionId()).toBeGreaterThan(lastBefore);
  await through.close();
  await proxy.close();
});

test('a server whose transactions were read-only by default is used again after that', async () => {
  await admin.query('set global tx_read_only = 1');
  const opened = await openMysql(url);
  const write = () => keep(opened.db as Db, 'later');
  await expect(write()).rejects.toThrow();
  await admin.query('set global tx_read_only = 0');
  await write();
  expect(await ids()).toContain('later');
  await opened.close();
});
