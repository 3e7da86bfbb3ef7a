import { expect, it } from 'vitest';
import { HOUR_MS } from '../../core/time-units';
import { storesUnderTest } from '../conformance/testing/stores-under-test';

/** More than one batch examines. */
const YOUNG_ROWS = 1_200;

it('reads only the oldest commits, however many newer ones there are', async () => {
  const { store, database, close } = await storesUnderTest.sqlite.open();
  const before = Date.now() - HOUR_MS;
  const insert = (rows: number, at: number) =>
    database.raw.ask(
      'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) ' +
        "INSERT INTO lock_history (at, changes, took) SELECT ?, '[]', '' FROM n",
      [rows, at],
    );
  await insert(7, before - 1);
  await insert(YOUNG_ROWS, before);
  // As after a clock was set back: to find this row, all young rows would have to be examined.
  await insert(1, before - 1);
  const end = await store.historyEnd();
  expect(await store.pruneHistory(end, before)).toBe(7);
  expect(await store.pruneHistory(end, before)).toBe(0);
  expect(await store.historyAfter(0, 2_000)).toHaveLength(YOUNG_ROWS + 1);
  await close();
});
