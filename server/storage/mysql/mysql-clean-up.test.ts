import { type Connection, createConnection } from 'mysql2/promise';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../core/time-units';
import { type StoreUnderTest, storesUnderTest } from '../conformance/testing/stores-under-test';

/** Many more than one batch examines. */
const YOUNG_ROWS = 3_000;

let under: StoreUnderTest;
let foreign: Connection;
beforeEach(async () => {
  under = await storesUnderTest.mysql.open();
  foreign = await createConnection({ uri: under.database.mysqlUrl ?? '' });
});
afterEach(async () => {
  foreign.destroy();
  await under.close();
});

/** Another client's transaction locks one row: a statement that examines it would wait and fail. */
const lockRow = async (table: string, id: string | number) => {
  await foreign.query('START TRANSACTION');
  const [rows] = await foreign.query(`SELECT id FROM ${table} WHERE id = ? FOR UPDATE`, [id]);
  expect(rows).toHaveLength(1);
};

const countOf = async (table: string) => {
  const { rows } = await under.database.raw.ask(`SELECT COUNT(*) FROM ${table}`, []);
  return Number(rows[0]?.[0]);
};

describe('cleaning up', () => {
  it('reads only expired answers, however many others there are', async () => {
    const insert = (first: number, last: number, expiresAt: string) =>
      foreign.query(
        'INSERT INTO lock_requests (id, input_hash, answer, expires_at) ' +
          `SELECT CONCAT('a', seq), '', '{}', ${expiresAt} FROM seq_${first}_to_${last}`,
      );
    await insert(1, 7, 'seq');
    await insert(8, YOUNG_ROWS, `${Date.now() + HOUR_MS} + seq`);
    await lockRow('lock_requests', `a${YOUNG_ROWS / 2}`);
    await under.store.deleteExpiredAnswers();
    expect(await countOf('lock_requests')).toBe(YOUNG_ROWS - 7);
  });

  it('reads only the oldest commits, however many newer ones there are', async () => {
    const insert = (rows: number, at: number) =>
      foreign.query(
        'INSERT INTO lock_history (at, changes, took) ' +
          `SELECT ${at}, '[]', '' FROM seq_1_to_${rows}`,
      );
    const before = Date.now() - HOUR_MS;
    await insert(7, before - 1);
    await insert(YOUNG_ROWS, before);
    const end = await under.store.historyEnd();
    await lockRow('lock_history', end - 1);
    expect(await under.store.pruneHistory(end, before)).toBe(7);
    expect(await under.store.pruneHistory(end, before)).toBe(0);
    expect(await countOf('lock_history')).toBe(YOUNG_ROWS);
  });
});
