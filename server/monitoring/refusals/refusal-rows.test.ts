import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import { MINUTE_MS } from '../../core/time-units';
import { type RefusalRow, refusalsByMinute, writeRefusals } from './refusal-rows';

const START = Date.UTC(2026, 0, 1);

/** In one reading: on SQLite it blocks this process. */
const ROWS_MAX = 500;

describe.each(TEST_DIALECTS)('refused attempts by minute over %s', (dialect) => {
  let database: Database;

  beforeEach(async () => {
    database = await openTestDatabase(dialect);
  });
  afterEach(() => database.close());

  it('are read in parts, and every minute once', async () => {
    const minutes = Array.from({ length: 2 * ROWS_MAX + 3 }, (_, i) => START + i * MINUTE_MS);
    for (const process of ['a', 'b']) {
      const rowOf = (minute: number): RefusalRow => {
        const all = { attempts: 2, token: 0, firstAt: minute, lastAt: minute };
        const counts = { all, owners: [], others: null };
        return { backend: 'default', lockId: '', minute, process, counts };
      };
      await writeRefusals(database, minutes.map(rowOf));
    }
    const ask = vi.spyOn(database.raw, 'ask');
    const [since = 0, ...later] = minutes.slice(1);
    const until = later.at(-2) ?? 0;
    const found = await refusalsByMinute(database, 'default', '', { since, until });
    const expected = minutes.slice(1, -1).map((minute) => ({ minute, refused: 4 }));
    expect(found).toEqual(expected);
    const answers = await Promise.all(ask.mock.results.map(({ value }) => value));
    expect(Math.max(...answers.map(({ rows }) => rows.length))).toBeLessThanOrEqual(ROWS_MAX);
  });
});
