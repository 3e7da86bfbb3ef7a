import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { created, creation, freshKey, readOne, update } from '../conformance/testing/changes';
import { type StoreUnderTest, storesUnderTest } from '../conformance/testing/stores-under-test';
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
  store = new MysqlStore(url, PATIENT_MS);
});
afterEach(async () => {
  foreign.destroy();
  await store.close();
  await under.close();
});

/** How many statements of others the server runs, or keeps waiting. */
const statements = async () => {
  const [[row]] = await foreign.query<RowDataPacket[]>(
    'SELECT COUNT(*) AS found FROM information_schema.processlist WHERE db = DATABASE() AND ' +
      "command = 'Query' AND id <> CONNECTION_ID()",
  );
  return Number(row?.found);
};

describe('a table that another program has locked, as for a backup or an ALTER', () => {
  it('leaves no statement behind that waits for it, nor one that lands later', async () => {
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
    await vi.waitFor(async () => expect(await statements()).toBe(0), { timeout: 2_000 });
    await foreign.query('UNLOCK TABLES');
    expect(await readOne(store, fresh)).toMatchObject({ record: null });
    expect(await readOne(store, old)).toMatchObject({ record: seen });
  });
});
