import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startPrivateMariadb } from '@/scripts/servers/private-mariadb.mjs';
import { systemClock } from '@/server/platform/clock';
import { created, creation, freshKey, readOne, update } from '../conformance/testing/changes';
import {
  createScratchDatabase,
  type StoreUnderTest,
  storesUnderTest,
} from '../conformance/testing/stores-under-test';
import { openBackend } from '../open-store';
import { MysqlStore } from './mysql-store';

/** A busy machine may be slow; what is tested is the answer. */
const PATIENT_MS = 10_000;

let under: StoreUnderTest;
let foreign: Connection;
let store: MysqlStore;
beforeEach(async () => {
  under = await storesUnderTest.mysql.open();
  const url = under.database.mysqlUrl ?? '';
  foreign = await createConnection({ uri: url });
  store = new MysqlStore(url, { callMaxMs: PATIENT_MS });
});
afterEach(async () => {
  foreign.destroy();
  await store.close();
  await under.close();
});

/** How many statements of other connections are running or waiting. */
const statements = async () => {
  const [[row]] = await foreign.query<RowDataPacket[]>(
    'SELECT COUNT(*) AS found FROM information_schema.processlist WHERE db = DATABASE() AND ' +
      "command = 'Query' AND id <> CONNECTION_ID()",
  );
  return Number(row?.found);
};

describe('a table that another program has locked, as for a backup or an ALTER', () => {
  it('leaves no statement that waits for it or is applied later', async () => {
    const [old, fresh] = [freshKey(), freshKey()];
    const seen = await created(store, old);
    await foreign.query('LOCK TABLES locks WRITE');
    const work = [
      store.swap([creation(fresh)]),
      store.swap([update(old, seen)]),
      store.read([old], []),
    ];
    const ends = await Promise.allSettled(work);
    const failure = { status: 'rejected', reason: expect.objectContaining({ applied: 'no' }) };
    expect(ends).toEqual([failure, failure, failure]);
    await vi.waitFor(async () => expect(await statements()).toBe(0), { timeout: 10_000 });
    await foreign.query('UNLOCK TABLES');
    expect(await readOne(store, fresh)).toMatchObject({ record: null });
    expect(await readOne(store, old)).toMatchObject({ record: seen });
  });
});

const HOLD_COMMITS = ['START', 'FLUSH', 'BLOCK_DDL', 'BLOCK_COMMIT'];

it('a swap whose commit a server backup blocks is rolled back, and reported as such', async () => {
  const server = await startPrivateMariadb({ durable: false });
  try {
    const { url: uri } = await createScratchDatabase(server.url);
    await (await openBackend({ kind: 'mysql', url: uri }, systemClock)).close();
    const own = new MysqlStore(uri, { callMaxMs: PATIENT_MS });
    const root = await createConnection({ uri });
    const [old, fresh] = [freshKey(), freshKey()];
    const seen = await created(own, old);
    for (const stage of HOLD_COMMITS) await root.query(`BACKUP STAGE ${stage}`);
    const ends = await Promise.allSettled([
      own.swap([creation(fresh)]),
      own.swap([update(old, seen)]),
    ]);
    const failure = { status: 'rejected', reason: expect.objectContaining({ applied: 'no' }) };
    expect(ends).toEqual([failure, failure]);
    await root.query('BACKUP STAGE END');
    expect(await readOne(own, fresh)).toMatchObject({ record: null });
    expect(await readOne(own, old)).toMatchObject({ record: seen });
    expect(await own.swap([update(old, seen)])).toMatchObject([{ applied: true }]);
    root.destroy();
    await own.close();
  } finally {
    await server.stop();
  }
});
