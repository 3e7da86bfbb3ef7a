import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startPrivateMariadb } from '@/scripts/servers/private-mariadb.mjs';
import { systemClock } from '../../platform/clock';
import {
  created,
  creation,
  eventOf,
  freshKey,
  stored,
  update,
} from '../conformance/testing/changes';
import { LazyStore } from '../lazy-store';
import { openBackend } from '../open-store';
import { MysqlStore } from './mysql-store';

/** A busy machine may be slow; what is tested is the answer. */
const PATIENT_MS = 10_000;
const SOON = { timeout: 25_000 };

/** The content of records that fill the server's only file, which cannot grow. */
const LARGE = 'q'.repeat(1_000_000);
const LARGE_MAX = 60;

let server: Awaited<ReturnType<typeof startPrivateMariadb>>;
let admin: Connection;
let url: string;
let store: MysqlStore;

beforeAll(async () => {
  server = await startPrivateMariadb({
    durable: false,
    settings: [
      '--innodb-file-per-table=0',
      '--innodb-data-file-path=ibdata1:12M:autoextend:max:60M',
    ],
  });
  admin = await createConnection({ uri: server.url });
  await admin.query('CREATE DATABASE locks_here');
  await admin.query("CREATE USER locker@'%' IDENTIFIED BY 'secret'");
  await admin.query("GRANT ALL ON locks_here.* TO locker@'%'");
  const place = { pathname: '/locks_here', username: 'locker', password: 'secret' };
  url = Object.assign(new URL(server.url), place).href;
  const migrated = await openBackend({ kind: 'mysql', url }, systemClock);
  await migrated.close();
});
afterAll(async () => {
  admin.destroy();
  await server.stop();
});
afterEach(() => store.close());

describe.each([
  ['by RETURNING', true],
  ['by reading back', false],
])('a server that refuses to write, %s', (_, isReturning) => {
  beforeEach(() => {
    store = new MysqlStore(url, { callMaxMs: PATIENT_MS, usesReturning: isReturning });
  });

  /** Expects every kind of swap to be refused with this text, with nothing applied. */
  const isRefused = async (words: string) => {
    const refused = { applied: 'no', refusal: expect.stringContaining(words) };
    const birth = () => creation(freshKey(), { queue: LARGE, events: [eventOf(1)] });
    await expect(store.swap([birth()])).rejects.toMatchObject(refused);
    await expect(store.swap([birth(), birth()])).rejects.toMatchObject(refused);
    await expect(store.swapAll([birth(), birth()])).rejects.toMatchObject(refused);
  };

  const connectionIds = async () => {
    const sql = "SELECT id FROM information_schema.processlist WHERE user = 'locker'";
    const [rows] = await admin.query<RowDataPacket[]>(sql);
    return rows.map(({ id }) => Number(id));
  };

  it('because it is read-only says so, and works again once it is not', async () => {
    const key = freshKey();
    const seen = await created(store, key);
    const change = update(key, seen, { head: 'after', events: [eventOf(2)] });
    await admin.query('SET GLOBAL read_only = 1');
    try {
      await isRefused('read-only');
      await expect(store.swap([change])).rejects.toMatchObject({ applied: 'no' });
      expect((await stored(store, key)).head).toBe('head');
    } finally {
      await admin.query('SET GLOBAL read_only = 0');
    }
    expect(await store.swap([change])).toMatchObject([{ applied: true }]);
  });

  it('because it is read-only is left by every connection', async () => {
    await Promise.all(Array.from({ length: 4 }, () => store.read([freshKey()], [])));
    const before = await connectionIds();
    expect(before).toHaveLength(4);
    await admin.query('SET GLOBAL read_only = 1');
    try {
      await isRefused('read-only');
    } finally {
      await admin.query('SET GLOBAL read_only = 0');
    }
    const still = async () => (await connectionIds()).filter((id) => before.includes(id));
    await expect.poll(still).toEqual([]);
  });

  it('because all transactions may only read says so', async () => {
    await admin.query('SET GLOBAL tx_read_only = 1');
    try {
      await isRefused('read-only');
    } finally {
      await admin.query('SET GLOBAL tx_read_only = 0');
    }
  });

  it('because its user may only read says so', async () => {
    await admin.query("REVOKE ALL ON locks_here.* FROM locker@'%'");
    await admin.query("GRANT SELECT ON locks_here.* TO locker@'%'");
    try {
      await isRefused('lacks a privilege that Lockyard needs');
    } finally {
      await admin.query("GRANT ALL ON locks_here.* TO locker@'%'");
    }
  });

  it('because a table is gone says so, between writing the records and their commit', async () => {
    const key = freshKey();
    const seen = await created(store, key);
    await admin.query('RENAME TABLE locks_here.lock_history TO locks_here.elsewhere');
    try {
      await isRefused('lacks a table');
      const change = update(key, seen, { head: 'after', events: [eventOf(2)] });
      await expect(store.swap([change])).rejects.toMatchObject({ applied: 'no' });
    } finally {
      await admin.query('RENAME TABLE locks_here.elsewhere TO locks_here.lock_history');
    }
    expect(await stored(store, key)).toMatchObject({ ...seen, head: 'head' });
  });
});

it('a server read-only as a process starts says so, and is used once writable', async () => {
  store = new MysqlStore(url, { callMaxMs: PATIENT_MS });
  const open = () => openBackend({ kind: 'mysql', url }, systemClock);
  await admin.query('SET GLOBAL read_only = 1');
  let lazy: LazyStore;
  try {
    lazy = await LazyStore.start(open, () => undefined);
    const refused = { applied: 'no', refusal: expect.stringContaining('read-only') };
    await expect(lazy.read([freshKey()], [])).rejects.toMatchObject(refused);
  } finally {
    await admin.query('SET GLOBAL read_only = 0');
  }
  const read = () => lazy.read([freshKey()], []);
  await expect.poll(() => read().then(() => 'answered', String), SOON).toBe('answered');
  await lazy.close();
});

it('a full server says so, and can still be read', async () => {
  store = new MysqlStore(url, { callMaxMs: PATIENT_MS });
  const key = freshKey();
  await created(store, key);
  let failure: unknown = null;
  for (let i = 0; i < LARGE_MAX && failure === null; i += 1) {
    const birth = creation(freshKey(), { queue: LARGE, events: [eventOf(1)] });
    failure = await store.swap([birth]).then(
      () => null,
      (error: unknown) => error,
    );
  }
  expect(failure).toMatchObject({ applied: 'no', refusal: expect.stringContaining('is full') });
  expect((await stored(store, key)).head).toBe('head');
});
